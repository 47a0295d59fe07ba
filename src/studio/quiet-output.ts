/**
 * Lets the program outlive whoever read what it says: a closed pipe (`| head`, a dead log collector) is reported as an
 * error event, which would otherwise end the process and every child with it.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

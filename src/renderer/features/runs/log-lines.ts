const heartbeat = /^\{"type":\s*"heartbeat"/;
const settings = /^\{"type":\s*"settings"/;

/** The lines that tell something: no signs of life, and settings only where they differ from those told before. */
export function tellingLines(lines: readonly string[]): string[] {
  let told = '';
  return lines.filter((line) => {
    if (heartbeat.test(line)) return false;
    if (!settings.test(line)) return true;
    const isNew = line !== told;
    told = line;
    return isNew;
  });
}

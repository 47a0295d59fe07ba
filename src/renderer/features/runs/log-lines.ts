const settings = /^\{"type":\s*"settings"/;

/** The lines that tell something new: settings only where they differ from those told before. */
export function tellingLines(lines: readonly string[]): string[] {
  let told = '';
  return lines.filter((line) => {
    if (!settings.test(line)) return true;
    const isNew = line !== told;
    told = line;
    return isNew;
  });
}

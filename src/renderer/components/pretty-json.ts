const longestInline = 4000;

/**
 * JSON for reading: objects one field a line, arrays of plain values on one line, so that a thousand token ids do not
 * become a thousand lines.
 */
export function prettyJson(value: unknown, indent = ''): string {
  if (Array.isArray(value)) return prettyArray(value, indent);
  if (value !== null && typeof value === 'object') return prettyObject(value, indent);
  return JSON.stringify(value) ?? 'null';
}

function prettyArray(values: readonly unknown[], indent: string): string {
  const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object';
  const isPair = (value: unknown): boolean => Array.isArray(value) && value.length <= 2 && value.every(isPlain);
  if (values.every((value) => isPlain(value) || isPair(value))) {
    const line = `[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
    // Past this an editor's line wrapping costs more than the lines would.
    if (line.length <= longestInline) return line;
  }
  const inner = `${indent}  `;
  return `[\n${values.map((value) => inner + prettyJson(value, inner)).join(',\n')}\n${indent}]`;
}

function prettyObject(value: object, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.length === 0) return '{}';
  return `{\n${fields.map(([key, field]) => `${inner}${JSON.stringify(key)}: ${prettyJson(field, inner)}`).join(',\n')}\n${indent}}`;
}

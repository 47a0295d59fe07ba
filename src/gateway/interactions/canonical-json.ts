/** One text per value, whatever the order of its keys. By hand, since every message of every request comes through here. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  let text = '';
  if (Array.isArray(value)) {
    for (const inner of value) text += `${text === '' ? '' : ','}${canonicalJson(inner)}`;
    return `[${text}]`;
  }
  const object = value as Readonly<Record<string, unknown>>; // neither null nor a list
  for (const key of Object.keys(object).sort()) {
    const inner = object[key];
    if (inner !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(inner)}`;
  }
  return `{${text}}`;
}

/** Removes null-valued keys at every depth: clients send them for absent fields, and absent must equal absent. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([key, inner]) => [key, withoutNulls(inner)]),
  );
}

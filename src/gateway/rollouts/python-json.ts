/** A number that Python prints as a float: `1.0`, never `1`. */
export class PythonFloat {
  constructor(readonly value: number) {}
}

/** What {@link toPythonJson} can write. */
export type PythonJsonValue =
  | string
  | number
  | boolean
  | null
  | PythonFloat
  | readonly PythonJsonValue[]
  | { readonly [key: string]: PythonJsonValue | undefined };

/**
 * JSON as Python's `json.dumps` writes it by default: `", "` and `": "` as separators, non-ASCII as `\uXXXX`.
 *
 * Keys whose value is undefined are left out. A float that is not finite becomes null: bare NaN is no JSON.
 */
export function toPythonJson(value: PythonJsonValue): string {
  if (value instanceof PythonFloat) return floatText(value.value);
  if (typeof value === 'string') return asciiString(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(toPythonJson).join(', ')}]`;
  const entries = Object.entries(value).flatMap(([key, item]) =>
    item === undefined ? [] : [`${asciiString(key)}: ${toPythonJson(item)}`],
  );
  return `{${entries.join(', ')}}`;
}

// Array.isArray does not narrow readonly arrays.
const isArray = (value: object): value is readonly PythonJsonValue[] => Array.isArray(value);

function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const text = JSON.stringify(value);
  if (Object.is(value, -0)) return '-0.0';
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function asciiString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

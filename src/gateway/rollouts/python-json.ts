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

/** As Python's `repr` of a float: exponents have a sign and two digits, and begin at 1e16 and below 1e-4. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  // JavaScript and Python both print the fewest digits that read back as the same number; only their layout differs.
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toExponential().split('e');
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent >= 16 || exponent < -4)) {
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  const digits = mantissa.replace('.', '');
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.padEnd(exponent + 1, '0').slice(0, exponent + 1);
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`;
}

function asciiString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

type Schema = Readonly<Record<string, unknown>>;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/**
 * JSON text of an argument that the model wrote without quotes, by the parameter's schema.
 *
 * A value that does not fit its type stays a string, so that the tool's own validation can say what is wrong. Numbers
 * and objects keep the model's digits and spelling.
 */
export function coerceArgument(written: string, schema: unknown): string {
  const types = typesOf(schema);
  const trimmed = written.trim();
  // A string that happens to read `null` or `5` is still a string where one is allowed.
  if (types.size === 0 || types.has('string')) return JSON.stringify(written);
  const lower = trimmed.toLowerCase();
  if (types.has('null') && (lower === 'null' || lower === 'none')) return 'null';
  if (types.has('boolean') && (lower === 'true' || lower === 'false')) return lower;
  if (types.has('integer') && INTEGER.test(trimmed)) return trimmed;
  if (types.has('number') && NUMBER.test(trimmed)) return trimmed;
  if ((types.has('object') && isJson(trimmed, '{')) || (types.has('array') && isJson(trimmed, '['))) return trimmed;
  return JSON.stringify(written);
}

/** The schema of one parameter; undefined when the tool says nothing about it. */
export function schemaOfParameter(parameters: Schema | null, name: string): unknown {
  const properties = parameters?.properties;
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return undefined;
  return (properties as Schema)[name]; // an object, as checked
}

function typesOf(schema: unknown): Set<string> {
  const types = new Set<string>();
  if (typeof schema !== 'object' || schema === null) return types;
  const { type, anyOf, oneOf, enum: values } = schema as Schema; // an object has fields
  for (const name of Array.isArray(type) ? type : [type]) if (typeof name === 'string') types.add(name);
  for (const choices of [anyOf, oneOf]) {
    if (Array.isArray(choices)) for (const choice of choices) for (const name of typesOf(choice)) types.add(name);
  }
  if (types.size === 0 && Array.isArray(values)) for (const value of values) types.add(typeOfValue(value));
  return types;
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isJson(text: string, opening: string): boolean {
  if (!text.startsWith(opening)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

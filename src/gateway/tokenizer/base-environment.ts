import { Environment, Interpreter, type Template } from '@huggingface/jinja';

/** Functions of the library that it gives to its own rendering alone. */
const LIBRARY_ONLY = /\b(?:range|strftime_now)\b/;

/** Renders what is shown to a template besides its constants. */
export type RenderConstant = (template: Template, values: Readonly<Record<string, unknown>>) => string;

/**
 * Renders templates of one source with constants that are made ready once: the library makes every value anew for each
 * rendering, which costs more than rendering a short message does.
 *
 * @returns what `template.render` would, for values that have other names than the constants and what is built in
 */
export function renderWithConstants(source: string, constants: Readonly<Record<string, unknown>>): RenderConstant {
  if (LIBRARY_ONLY.test(source)) return (template, values) => template.render({ ...constants, ...values });
  const base = new Environment();
  setAll(base, { ...BUILT_IN, ...constants });
  return (template, values) => {
    const environment = new Environment(base);
    setAll(environment, values);
    return new Interpreter(environment).run(template.parsed).value as string; // a program evaluates to its text
  };
}

/** As the library sets them; a list of its own is out of reach. */
const BUILT_IN = {
  ...{ true: true, True: true, false: false, False: false, none: null, None: null },
  raise_exception: (message: string): never => {
    throw new Error(message);
  },
};

function setAll(environment: Environment, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) environment.set(name, value);
}

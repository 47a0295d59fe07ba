import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Template } from '@huggingface/jinja';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assignedFields, assignedFieldsInVite } from './assigned-fields.mjs';

const folder = mkdtempSync(join(tmpdir(), 'plaudit-fields-'));
let text = '';
let bundled: { readonly Template: typeof Template };

beforeAll(async () => {
  const outfile = join(folder, 'jinja.cjs');
  const { outputFiles } = await build({
    stdin: { contents: "export { Template } from '@huggingface/jinja'", resolveDir: '.' },
    ...{ bundle: true, platform: 'node', format: 'cjs', outfile, plugins: [assignedFields] },
    write: false,
  });
  text = outputFiles[0]?.text ?? '';
  const module = { exports: {} };
  new Function('module', 'exports', 'require', text)(module, module.exports, createRequire(import.meta.url));
  bundled = module.exports as typeof bundled; // the entry above exports it
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('leaves no class of the library that defines its type', async () => {
  expect(text).toContain('this.type = "StringValue"');
  expect(text).not.toMatch(/^ +(?:static )?type = "/m);
  const code = 'class Value { type = "Value" }';
  const there = await assignedFieldsInVite.transform(code, '/x/node_modules/@huggingface/jinja/dist/index.js');
  expect(there?.code).toContain('this.type = "Value"');
  expect(await assignedFieldsInVite.transform(code, '/x/src/value.js')).toBeNull();
});

it.each([
  ['{% for m in messages %}{{ loop.index0 }}{{ m.role ~ m["content"] }}{% endfor %}'],
  ['{% set ns = namespace(at=-1) %}{% for m in messages[::-1] %}{% set ns.at = loop.index0 %}{% endfor %}{{ ns.at }}'],
  ['{{ messages | tojson(indent=2) }}{{ messages | length }}{{ 1.0 }}{{ 7 // 2 }}{{ none }}{{ missing is defined }}'],
  ['{% macro say(x) %}[{{ x | upper }}]{% endmacro %}{{ say("a") }}{{ "a b".split(" ")[-1].strip() }}'],
  ['{% for k, v in {"a": 1, "b": [true, none]}.items() %}{{ k }}={{ v }};{% endfor %}{{ [3, 1] | sort }}'],
  ['{{ raise_exception("no " + messages[0].role) }}'],
])('renders as the library does: %s', (source) => {
  const values = {
    messages: [
      { role: 'user', content: 'hé' },
      { role: 'assistant', content: '<b>' },
    ],
  };
  const outcome = (Kind: typeof Template): unknown => {
    try {
      return new Kind(source).render(values);
    } catch (error) {
      return String(error);
    }
  };
  expect(outcome(bundled.Template)).toBe(outcome(Template));
  expect(outcome(Template)).not.toBe('');
});

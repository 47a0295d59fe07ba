import type { Template } from '@huggingface/jinja';

/** Stands where a message's part of the rendering begins, and behind the last. Half a surrogate pair, as no text has. */
export const PART = '\uDC01';

type Program = Template['parsed'];
type Node = Program['body'][number];

/** Methods that change nothing and depend on nothing else. */
const PURE_METHODS: ReadonlySet<string> = new Set(
  'split strip lstrip rstrip startswith endswith upper lower title replace items keys values get'.split(' '),
);
/** Macros and the like are not looked into. */
const IMPURE_FORMS: ReadonlySet<string> = new Set(
  'Macro CallStatement FilterStatement SpreadExpression KeywordSpreadExpression'.split(' '),
);
/** Functions of templates that give the same for the same; the clock is not among them. */
const PURE_FUNCTIONS: ReadonlySet<string> = new Set(['raise_exception', 'namespace', 'range']);
/** Parts of `loop` that stay the same when messages are added behind the next one. */
const LOCAL_LOOP: ReadonlySet<string> = new Set(['first', 'last', 'previtem', 'nextitem']);

/**
 * Puts marks around every message's part, if each part depends only on its own message, its two neighbours and what
 * is the same in the whole conversation.
 *
 * Only forms that are known to be harmless are let through. A template that counts, remembers, looks ahead or reads the
 * clock between messages is left as it was.
 *
 * @returns whether it was marked
 */
export function markParts(program: Program): boolean {
  const loops = program.body.filter(isMessageLoop);
  const loop = loops[0];
  if (loop === undefined || loops.length > 1) return false;
  const others = program.body.filter((node) => node !== loop);
  if (!others.every(isLocalOutside) || !isLocalBody(loop)) return false;
  const mark = (): Node => ({ type: 'StringLiteral', value: PART }) as Node; // an output statement, as the parser makes it
  loop.body.unshift(mark());
  program.body.splice(program.body.indexOf(loop) + 1, 0, mark());
  return true;
}

interface Loop extends Node {
  readonly loopvar: Node & { readonly value: string };
  readonly body: Node[];
}

function isMessageLoop(node: Node): node is Loop {
  return (
    node.type === 'For' &&
    isName(field(node, 'iterable'), 'messages') &&
    typeOf(field(node, 'loopvar')) === 'Identifier'
  );
}

/** Before and behind the messages: only the first of them may be read. */
function isLocalOutside(node: unknown): boolean {
  if (isFirstMessage(node)) return true;
  if (isName(node, 'messages')) return false;
  return isPure(node) && childrenOf(node).every(isLocalOutside);
}

function isLocalBody(loop: Loop): boolean {
  const names = new Set([loop.loopvar.value]);
  return loop.body.every((node) => isLocal(node, { variables: names, isInner: false }));
}

interface Scope {
  /** variables of the loops around, which every round sets anew */
  readonly variables: ReadonlySet<string>;
  /** within a further loop, `loop` is that one's */
  readonly isInner: boolean;
}

function isLocal(node: unknown, scope: Scope): boolean {
  if (isFirstMessage(node) || (!scope.isInner && (isNeighbour(node) || isBeginningTest(node)))) return true;
  switch (typeOf(node)) {
    case 'Identifier':
      return !isName(node, 'messages') && (scope.isInner || !isName(node, 'loop'));
    case 'MemberExpression':
      if (!scope.isInner && isName(field(node, 'object'), 'loop'))
        return LOCAL_LOOP.has(nameOf(field(node, 'property')));
      break;
    case 'Set':
      // Variables outlive the round they are set in; only a loop's own does not.
      if (!isInnerVariable(field(node, 'assignee'), scope)) return false;
      break;
    case 'Break':
    case 'Continue':
      return false;
    case 'For': {
      const variables = new Set([nameOf(field(node, 'loopvar'))]);
      if (typeOf(field(node, 'loopvar')) !== 'Identifier' || !isLocal(field(node, 'iterable'), scope)) return false;
      return [field(node, 'body'), field(node, 'defaultBlock')].every((part) =>
        childrenOf(part).every((child) => isLocal(child, { variables, isInner: true })),
      );
    }
  }
  return isPure(node) && childrenOf(node).every((child) => isLocal(child, scope));
}

function isInnerVariable(assignee: unknown, { variables, isInner }: Scope): boolean {
  return isInner && typeOf(assignee) === 'Identifier' && variables.has(nameOf(assignee));
}

/** A form whose outcome hangs on what it is given, and that changes nothing. */
function isPure(node: unknown): boolean {
  const type = typeOf(node);
  if (type !== 'CallExpression') return !IMPURE_FORMS.has(type);
  const callee = field(node, 'callee');
  return typeOf(callee) === 'MemberExpression'
    ? PURE_METHODS.has(nameOf(field(callee, 'property')))
    : PURE_FUNCTIONS.has(nameOf(callee));
}

/** `messages[0]` */
function isFirstMessage(node: unknown): boolean {
  const index = messageIndex(node);
  return typeOf(index) === 'IntegerLiteral' && field(index, 'value') === 0;
}

/** `messages[loop.index0 - 1]` and `messages[loop.index0 + 1]` */
function isNeighbour(node: unknown): boolean {
  const index = messageIndex(node);
  if (typeOf(index) !== 'BinaryExpression' || !isIndex0(field(index, 'left'))) return false;
  const operator = field(field(index, 'operator'), 'value');
  const right = field(index, 'right');
  return (operator === '-' || operator === '+') && typeOf(right) === 'IntegerLiteral' && field(right, 'value') === 1;
}

/** `loop.index0 == 0` and `!= 0` */
function isBeginningTest(node: unknown): boolean {
  if (typeOf(node) !== 'BinaryExpression' || !isIndex0(field(node, 'left'))) return false;
  const operator = field(field(node, 'operator'), 'value');
  return (operator === '==' || operator === '!=') && field(field(node, 'right'), 'value') === 0;
}

function messageIndex(node: unknown): unknown {
  const isIndexed = typeOf(node) === 'MemberExpression' && field(node, 'computed') === true;
  return isIndexed && isName(field(node, 'object'), 'messages') ? field(node, 'property') : undefined;
}

function isIndex0(node: unknown): boolean {
  if (typeOf(node) !== 'MemberExpression' || field(node, 'computed') === true) return false;
  return isName(field(node, 'object'), 'loop') && isName(field(node, 'property'), 'index0');
}

function isName(node: unknown, name: string): boolean {
  return typeOf(node) === 'Identifier' && field(node, 'value') === name;
}

/** of an identifier; '' of anything else */
function nameOf(node: unknown): string {
  return typeOf(node) === 'Identifier' ? String(field(node, 'value')) : '';
}

function typeOf(node: unknown): string {
  const type = field(node, 'type');
  return typeof type === 'string' ? type : '';
}

/** Every node below this one; names of fields and methods are none. */
function childrenOf(node: unknown): unknown[] {
  if (node instanceof Map) return [...node].flat();
  if (Array.isArray(node)) return node;
  if (typeof node !== 'object' || node === null) return [];
  const isNamed = typeOf(node) === 'MemberExpression' && field(node, 'computed') !== true;
  return Object.entries(node)
    .filter(([name]) => name !== 'operator' && !(isNamed && name === 'property'))
    .map(([, value]) => value as unknown);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined; // an object has fields
}

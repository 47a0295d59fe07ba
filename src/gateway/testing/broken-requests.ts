/** A request that no client should send, as bytes. */
export interface BrokenRequest {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Keys {
  readonly session: string;
  readonly admin: string;
}

/**
 * A corpus of broken HTTP: heads, headers, and bodies for every route that takes one.
 *
 * Made of rules instead of being a folder of files, so that a new route or a new kind of damage is one line.
 */
export function brokenRequests(keys: Keys): BrokenRequest[] {
  return [...brokenHeads(keys), ...brokenBodies(keys)];
}

function brokenHeads({ session, admin }: Keys): BrokenRequest[] {
  const good = `Host: localhost\r\nAuthorization: Bearer ${session}\r\n`;
  const heads: readonly (readonly [string, string | Buffer])[] = [
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['bare line feeds', 'GET /health HTTP/1.1\nHost: localhost\n\n'],
    ['TLS hello', Buffer.from('16030100f0010000ec0303', 'hex')],
    ['binary noise', Buffer.from(Array.from({ length: 256 }, (_, i) => 255 - i))],
    ['NUL bytes', Buffer.alloc(64)],
    ['no version', 'GET /rl/status\r\n\r\n'],
    ['HTTP/0.9', 'GET /rl/status HTTP/0.9\r\n\r\n'],
    ['HTTP/9.9', 'GET /health HTTP/9.9\r\nHost: localhost\r\n\r\n'],
    ['lower-case version', 'GET /health http/1.1\r\nHost: localhost\r\n\r\n'],
    ['no host', 'GET /health HTTP/1.1\r\n\r\n'],
    ['two hosts', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: attacker.example\r\n\r\n'],
    ['a foreign host', 'GET /health HTTP/1.1\r\nHost: attacker.example\r\n\r\n'],
    ['a foreign host in absolute form', 'GET http://attacker.example/health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['an empty host', 'GET /health HTTP/1.1\r\nHost:\r\n\r\n'],
    ['a host with a path', 'GET /health HTTP/1.1\r\nHost: localhost/x\r\n\r\n'],
    ['a host with a user', 'GET /health HTTP/1.1\r\nHost: a@localhost\r\n\r\n'],
    ['a host with a bad port', 'GET /health HTTP/1.1\r\nHost: localhost:99999999\r\n\r\n'],
    ['an unclosed IPv6 host', 'GET /health HTTP/1.1\r\nHost: [::1\r\n\r\n'],
    ['a space in the header name', 'GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n'],
    ['a header without colon', 'GET /health HTTP/1.1\r\nHost: localhost\r\nnocolon\r\n\r\n'],
    ['a header with an empty name', 'GET /health HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n'],
    ['a NUL in a header', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n'],
    ['a folded header', 'GET /health HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n'],
    ['a lone carriage return', 'GET /health HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n'],
    ['a huge header', `GET /health HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(30_000)}\r\n\r\n`],
    ['ten thousand headers', `GET /health HTTP/1.1\r\nHost: localhost\r\n${'a: b\r\n'.repeat(10_000)}\r\n`],
    ['a huge path', `GET /${'x'.repeat(30_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ['a path of dots', 'GET /../../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['an encoded path of dots', 'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a broken percent escape', 'GET /rl/sessions/%zz HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a broken UTF-8 escape', 'GET /rl/sessions/%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['an escaped NUL', 'GET /rl/sessions/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['an absolute target elsewhere', 'GET http://attacker.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['CONNECT', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['TRACE', 'TRACE /health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a made-up method', 'BREW /health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['an upgrade', 'GET /nothing HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['two content lengths', `POST /rl/set_reward HTTP/1.1\r\n${good}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['a negative content length', `POST /rl/set_reward HTTP/1.1\r\n${good}Content-Length: -1\r\n\r\n{}`],
    ['a worded content length', `POST /rl/set_reward HTTP/1.1\r\n${good}Content-Length: two\r\n\r\n{}`],
    [
      'an endless content length',
      `POST /rl/set_reward HTTP/1.1\r\n${good}Content-Length: 99999999999999999999\r\n\r\n{}`,
    ],
    [
      'length and chunks',
      `POST /rl/set_reward HTTP/1.1\r\n${good}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    [
      'a bad chunk size',
      `POST /rl/set_reward HTTP/1.1\r\n${good}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    ],
    [
      'a chunk that ends early',
      `POST /rl/set_reward HTTP/1.1\r\n${good}Transfer-Encoding: chunked\r\n\r\nff\r\n{}\r\n`,
    ],
    ['a made-up transfer encoding', `POST /rl/set_reward HTTP/1.1\r\n${good}Transfer-Encoding: rot13\r\n\r\n{}`],
    [
      'a made-up content encoding',
      `POST /rl/set_reward HTTP/1.1\r\n${good}Content-Encoding: rot13\r\nContent-Length: 2\r\n\r\n{}`,
    ],
    ['a body that never comes', `POST /rl/set_reward HTTP/1.1\r\n${good}Content-Length: 100\r\n\r\n`],
    [
      'a smuggled second request',
      `POST /rl/set_reward HTTP/1.1\r\n${good}Content-Length: 2\r\n\r\n{}GET /rl/status HTTP/1.1\r\n\r\n`,
    ],
  ];
  const keyHeaders: readonly (readonly [string, string])[] = [
    ['an empty bearer', 'Authorization: Bearer '],
    ['bearer alone', 'Authorization: Bearer'],
    ['basic', 'Authorization: Basic YTpi'],
    ['a key of spaces', 'Authorization: Bearer      '],
    ['a key in two headers', `Authorization: Bearer ${admin}x\r\nAuthorization: Bearer ${admin}`],
    ['a key with Latin-1 letters', 'Authorization: Bearer sk-sess-\u00e4\u00f6'],
    ['a key with a quote', `Authorization: Bearer sk-sess-' OR 1=1 --`],
    ['a huge key', `Authorization: Bearer ${'k'.repeat(10_000)}`],
    ['an empty x-api-key', 'x-api-key:'],
    ['a wrong x-api-key', 'x-api-key: nope'],
  ];
  const routes = ['GET /rl/status', 'GET /metrics', 'GET /rl/sessions', 'GET /rl/events'];
  return [
    ...heads.map(([name, text]) => ({ name, bytes: Buffer.from(text as string, 'latin1') })),
    ...keyHeaders.flatMap(([name, header]) =>
      routes.map((route) => ({
        name: `${route} with ${name}`,
        bytes: Buffer.from(`${route} HTTP/1.1\r\nHost: localhost\r\n${header}\r\nConnection: close\r\n\r\n`, 'latin1'),
      })),
    ),
  ];
}

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Damage that means the same for every route. */
const DAMAGES: readonly (readonly [string, string | Buffer])[] = [
  ['a lone brace', '{'],
  ['an array', '[]'],
  ['a number', '7'],
  ['null', 'null'],
  ['a string', '"x"'],
  ['a trailing comma', '{"a":1,}'],
  ['single quotes', "{'a':1}"],
  ['NaN', '{"reward":NaN}'],
  ['two documents', '{}{}'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['half a UTF-8 character', Buffer.from([0x7b, 0x22, 0xe4, 0xb8])],
  ['a byte order mark before nothing', Buffer.from([0xef, 0xbb, 0xbf])],
  ['UTF-16', Buffer.from('{"a":1}', 'utf16le')],
  ['deep arrays', deep(5000)],
  ['deep objects', `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`],
  ['a prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'],
  ['a gzip body', Buffer.from('1f8b0800000000000003ab560500', 'hex')],
];

/** Damage to a field: values of every wrong kind. */
const WRONG_VALUES: readonly (readonly [string, string])[] = [
  ['null', 'null'],
  ['a number', '5'],
  ['a fraction', '1.5e308'],
  ['a huge exponent', '1e999'],
  ['a boolean', 'true'],
  ['an empty object', '{}'],
  ['an array of nulls', '[null,null]'],
  ['control characters', '"\\u0000\\u0001"'],
  ['a lone surrogate', '"\\ud800"'],
  ['a megabyte', `"${'x'.repeat(70_000)}"`],
];

interface BodyRoute {
  readonly path: string;
  readonly key: keyof Keys;
  /** fields whose wrong values must be refused */
  readonly fields: readonly string[];
  /** a body that would be accepted but for the field */
  readonly rest: Readonly<Record<string, unknown>>;
  readonly skip?: readonly string[];
}

const MESSAGES = [{ role: 'user', content: 'hi' }];
const CHAT = { model: 'm', messages: MESSAGES };

const BODY_ROUTES: readonly BodyRoute[] = [
  { path: '/rl/start_session', key: 'admin', fields: ['task_id'], rest: {} },
  { path: '/rl/set_reward', key: 'session', fields: ['reward'], rest: {}, skip: ['a number'] },
  { path: '/v1/chat/completions', key: 'session', fields: ['messages'], rest: { model: 'm' } },
  { path: '/v1/chat/completions', key: 'session', fields: ['role'], rest: { model: 'm', messages: null } },
  {
    path: '/v1/responses',
    key: 'session',
    fields: ['input'],
    rest: { model: 'm' },
    skip: ['control characters', 'a lone surrogate'],
  },
  { path: '/v1/messages', key: 'session', fields: ['messages'], rest: { model: 'm', max_tokens: 5 } },
  {
    path: '/v1/messages',
    key: 'session',
    fields: ['max_tokens'],
    rest: { model: 'm', messages: MESSAGES },
    skip: ['a number'],
  },
  {
    path: '/v1/chat/completions',
    key: 'session',
    fields: ['temperature', 'seed'],
    rest: CHAT,
    skip: ['null', 'a number'],
  },
  { path: '/v1/chat/completions', key: 'session', fields: ['max_tokens', 'n'], rest: CHAT, skip: ['null', 'a number'] },
  {
    path: '/v1/chat/completions',
    key: 'session',
    fields: ['top_p', 'tools', 'tool_choice'],
    rest: CHAT,
    skip: ['null'],
  },
  { path: '/v1/chat/completions', key: 'session', fields: ['stream'], rest: CHAT, skip: ['null', 'a boolean'] },
  { path: '/export_trajectories', key: 'admin', fields: ['session_id'], rest: {} },
];

function brokenBodies(keys: Keys): BrokenRequest[] {
  const post = (path: string, key: string, body: string | Buffer): Buffer => {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), bytes]);
  };
  const paths = [...new Map(BODY_ROUTES.map((route) => [route.path, route])).values()];
  return [
    ...paths.flatMap(({ path, key }) =>
      DAMAGES.map(([name, body]) => ({ name: `${path} with ${name}`, bytes: post(path, keys[key], body) })),
    ),
    ...BODY_ROUTES.flatMap(({ path, key, fields, rest, skip }) =>
      fields.flatMap((field) =>
        WRONG_VALUES.filter(([name]) => skip?.includes(name) !== true).map(([name, value]) => {
          const others = JSON.stringify(rest).slice(1, -1);
          const body = `{${others}${others === '' ? '' : ','}${JSON.stringify(field)}:${value}}`;
          return { name: `${path}: ${field} is ${name}`, bytes: post(path, keys[key], body) };
        }),
      ),
    ),
  ];
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, readServerSentEvents, type ServerSentEvent } from './sse-parser';

const parseWhole = (text: string): ServerSentEvent[] => createSseParser().push(new TextEncoder().encode(text));

function parseCut(text: string, cuts: readonly number[]): ServerSentEvent[] {
  const bytes = new TextEncoder().encode(text);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const parser = createSseParser();
  const events: ServerSentEvent[] = [];
  let from = 0;
  for (const end of [...ends, bytes.length]) {
    events.push(...parser.push(bytes.slice(from, end)));
    from = end;
  }
  return events;
}

describe('createSseParser', () => {
  it.each([
    ['one event', 'data: a\n\n', [{ event: 'message', data: 'a' }]],
    ['a named event', 'event: reward-set\ndata: {}\n\n', [{ event: 'reward-set', data: '{}' }]],
    ['data over several lines', 'data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb' }]],
    [
      'carriage returns',
      'data: a\r\n\r\ndata: b\r\n\r\n',
      [
        { event: 'message', data: 'a' },
        { event: 'message', data: 'b' },
      ],
    ],
    ['comments as keep-alive', ': ping\n\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
    ['no space after the colon', 'data:a\n\n', [{ event: 'message', data: 'a' }]],
    ['an unfinished event', 'data: a\n', []],
    ['a name without data', 'event: x\n\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
  ])('reads %s', (_name, text, expected) => {
    expect(parseWhole(text)).toEqual(expected);
  });

  it('reads the same events wherever the bytes are cut, inside characters and line ends too', () => {
    const payload = fc.stringMatching(/^[a-z 你好🙂é"{}:]{0,12}$/u);
    const ending = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(
        fc.array(payload, { maxLength: 6 }),
        ending,
        fc.array(fc.nat(), { maxLength: 12 }),
        (texts, end, cuts) => {
          const text = texts.map((data) => `event: x${end}data: ${data}${end}${end}`).join('');
          expect(parseCut(text, cuts)).toEqual(texts.map((data) => ({ event: 'x', data })));
        },
      ),
    );
  });

  it('reads the same events byte by byte', () => {
    const text = 'data: 你好 🙂\r\n\r\ndata: [DONE]\n\n';
    const every = [...new TextEncoder().encode(text).keys()];
    expect(parseCut(text, every)).toEqual(parseWhole(text));
  });
});

describe('readServerSentEvents', () => {
  it('closes the connection when its reader stops early', async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\ndata: 2\n\n')),
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const event of readServerSentEvents(body)) {
      expect(event.data).toBe('1');
      break;
    }
    expect(isCancelled).toBe(true);
  });
});

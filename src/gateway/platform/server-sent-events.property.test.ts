import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventFeed } from './server-sent-events';

/** A reply's body; the feed uses nothing else of it. */
const reply = (): PassThrough & IncomingMessage => new PassThrough() as unknown as PassThrough & IncomingMessage;
const feedOf = (response: IncomingMessage): EventFeed =>
  new EventFeed(response, (cause) => new Error(`lost: ${cause.message}`));

async function read(feed: EventFeed): Promise<string[]> {
  const events: string[] = [];
  for await (const event of feed) events.push(event);
  return events;
}

describe('the events of a reply', () => {
  it('are the same wherever the network cuts it', async () => {
    const text = 'data: {"a":"ä€😀"}\r\n\r\n: comment\n\nevent: x\ndata: one\ndata:two\n\ndata: [DONE]\n\ndata: cut';
    const bytes = Buffer.from(text, 'utf8');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), fc.boolean(), async (cuts, isLate) => {
        const response = reply();
        const feed = feedOf(response);
        const reading = isLate ? null : read(feed);
        const places = [0, ...cuts.sort((left, right) => left - right), bytes.length];
        for (const [index, place] of places.entries()) {
          response.write(bytes.subarray(place, places[index + 1] ?? place));
          await new Promise((resolve) => setImmediate(resolve));
        }
        response.end();
        expect(await (reading ?? read(feed))).toEqual(['{"a":"ä€😀"}', 'one\ntwo', '[DONE]']);
      }),
      { numRuns: 60 },
    );
  });

  it('that came before the connection broke are read, then the loss is told', async () => {
    const response = reply();
    const feed = feedOf(response);
    response.write('data: 1\n\ndata: 2\n\n');
    await new Promise((resolve) => setImmediate(resolve));
    response.destroy(new Error('reset'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(await feed.next()).toEqual({ done: false, value: '1' });
    expect(await feed.next()).toEqual({ done: false, value: '2' });
    await expect(feed.next()).rejects.toThrow('lost: reset');
  });

  it('of a connection that is gone already are a loss, not silence', async () => {
    const response = reply();
    response.destroy();
    await expect(feedOf(response).next()).rejects.toThrow('lost: the connection was closed before');
  });

  it('end at once for a reader that waits when the connection closes without an end', async () => {
    const response = reply();
    const next = feedOf(response).next();
    response.destroy();
    await expect(next).rejects.toThrow('lost:');
  });

  it('are not read on when the reader leaves', async () => {
    const response = reply();
    response.write('data: 1\n\ndata: 2\n\n');
    for await (const _event of feedOf(response)) break;
    expect(response.destroyed).toBe(true);
  });
});

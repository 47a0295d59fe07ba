import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../shared/domain/interaction';
import { IncrementalRenderer } from './incremental-renderer';
import { PART } from './local-template';

/** A template that shows of every message its role alone. */
const renderMarked = (messages: readonly ChatMessage[]): string =>
  `${messages.map(({ role }) => `${PART}[${role}]`).join('')}${PART}`;

const turns = (count: number, content = 'hm'): ChatMessage[] =>
  Array.from({ length: count }, (_, turn) => ({ role: turn % 2 === 0 ? 'user' : 'assistant', content }));

function render(renderer: IncrementalRenderer, conversation: string, messages: readonly ChatMessage[]): void {
  const text = renderer.render(messages, { conversation, environment: '{}', renderMarked });
  expect(text).toBe(messages.map(({ role }) => `[${role}]`).join(''));
}

describe('IncrementalRenderer', () => {
  it('keeps nothing of a conversation that is over, and all of the others', () => {
    const renderer = new IncrementalRenderer();
    render(renderer, 'kept', turns(5));
    const before = renderer.bytes;
    expect(before).toBeGreaterThan(0);
    for (const count of [5, 7, 9]) render(renderer, 'over', turns(count));
    render(renderer, 'over', turns(4, 'another'));
    renderer.forget('over');
    renderer.forget('never seen');
    expect(renderer.bytes).toBe(before);
  });

  it.each([
    { what: 'text that the template leaves out', environment: '{}', content: 'x'.repeat(10_000) },
    { what: 'tools', environment: 'x'.repeat(50_000), content: 'hm' },
  ])('counts $what', ({ environment, content }) => {
    const renderer = new IncrementalRenderer();
    renderer.render(turns(5, content), { conversation: 'c', environment, renderMarked });
    expect(renderer.bytes).toBeGreaterThan(2 * 50_000);
  });

  it('weighs a conversation that grew as one that was rendered at once', () => {
    const [grown, whole] = [new IncrementalRenderer(), new IncrementalRenderer()];
    for (let count = 1; count <= 41; count += 2) render(grown, 'c', turns(count));
    render(whole, 'c', turns(41));
    expect(grown.bytes).toBe(whole.bytes);
  });

  it('holds the messages it had and not the same ones of every later request', () => {
    const renderer = new IncrementalRenderer();
    const first = turns(5);
    render(renderer, 'c', first);
    const again = turns(9);
    let compared = 0;
    const seen = new Proxy(again[0] ?? { role: '' }, {
      get: (target, name, receiver) => {
        compared += 1;
        return Reflect.get(target, name, receiver) as unknown;
      },
    });
    render(renderer, 'c', [seen, ...again.slice(1)]);
    compared = 0;
    render(renderer, 'c', turns(11));
    expect(compared).toBe(0);
  });
});

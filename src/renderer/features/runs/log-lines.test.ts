import { describe, expect, it } from 'vitest';
import { tellingLines } from './log-lines';

const beat = '{"type":"heartbeat"}';
const settings = (rate: number) => `{"type":"settings","values":{"learning_rate":${rate}}}`;

describe('tellingLines', () => {
  it.each([
    ['heartbeats', ['a', beat, beat, 'b', '{"type": "heartbeat","at":1}'], ['a', 'b']],
    ['settings told again', [settings(1), beat, settings(1), 'a', settings(1)], [settings(1), 'a']],
    ['no settings that changed', [settings(1), settings(2), settings(1)], [settings(1), settings(2), settings(1)]],
    ['no line that only speaks of them', ['trainer: no heartbeat for 30 s'], ['trainer: no heartbeat for 30 s']],
  ])('leaves out %s', (_what, lines, expected) => {
    expect(tellingLines(lines)).toEqual(expected);
  });
});

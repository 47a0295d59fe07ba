import { describe, expect, it } from 'vitest';
import { call, PROMPT } from './contract-helpers';
import type { ContractContext } from './contract-subject';

/** Whole and streamed answers: alignment, endings, repeatability. */
export function generateContract({ engine, options }: ContractContext): void {
  const { deterministic } = options.capabilities;

  it('ends exactly at the asked length, one finite log-prob per id', async () => {
    const answer = await engine().generate(call({ max_new_tokens: 7 }));
    expect(answer.ids).toHaveLength(7);
    expect(answer.logprobs).toHaveLength(7);
    expect(answer.finish).toMatchObject({ type: 'length', length: 7 });
    expect(answer.meta).toMatchObject({ prompt_tokens: PROMPT.length, completion_tokens: 7 });
  });

  it('includes the stop token in the ids', async () => {
    const free = await engine().generate(call({ temperature: 0 }));
    const stop = free.ids[4]!;
    const expected = free.ids.slice(0, free.ids.indexOf(stop) + 1);
    const answer = await engine().generate(call({ temperature: 0, ignore_eos: false, stop_token_ids: [stop] }));
    expect(answer.ids).toEqual(expected);
    expect(answer.finish).toMatchObject({ type: 'stop', matched: stop });
  });

  it('reports length, not stop, when a stop token comes exactly at the limit', async () => {
    const free = await engine().generate(call({ temperature: 0, max_new_tokens: 1 }));
    const sampling = { temperature: 0, max_new_tokens: 1, ignore_eos: false, stop_token_ids: free.ids };
    expect((await engine().generate(call(sampling))).finish).toMatchObject({ type: 'length', length: 1 });
  });

  it('ends at a stop string, keeps its ids, and cuts the text before it', async () => {
    const free = await engine().generate(
      call({ temperature: 1, sampling_seed: 5, max_new_tokens: 40, skip_special_tokens: false }),
    );
    const stop = [...free.text].find((character) => /[ -~]/.test(character) && free.text.indexOf(character) > 2);
    if (stop === undefined) throw new Error(`no printable character to stop at in ${JSON.stringify(free.text)}`);
    const sampling = { temperature: 1, sampling_seed: 5, max_new_tokens: 40, stop: [stop], skip_special_tokens: false };
    const answer = await engine().generate(call(sampling));
    expect(answer.finish).toMatchObject({ type: 'stop', matched: stop });
    expect(answer.text).toBe(free.text.slice(0, free.text.indexOf(stop)));
    if (deterministic) expect(answer.ids).toEqual(free.ids.slice(0, answer.ids.length));
  });

  it('repeats itself at temperature 0', async () => {
    const [first, second] = [
      await engine().generate(call({ temperature: 0 })),
      await engine().generate(call({ temperature: 0 })),
    ];
    expect(second.ids).toEqual(first.ids);
  });

  it('streams the same that it answers whole, incrementally', async () => {
    const sampling = { temperature: 0, max_new_tokens: 24 };
    const whole = await engine().generate(call(sampling));
    const streamed = await engine().stream(call(sampling));
    expect(streamed.ids).toEqual(whole.ids);
    expect(streamed.text).toBe(whole.text);
    expect(streamed.finish).toEqual(whole.finish);
    expect(streamed.events).toBeGreaterThan(1);
  });

  it.runIf(deterministic)('streams text with a stop string held back as the whole answer cuts it', async () => {
    const free = await engine().generate(call({ sampling_seed: 11, max_new_tokens: 60, skip_special_tokens: false }));
    const stop = free.text.slice(8, 11);
    const sampling = {
      sampling_seed: 11,
      max_new_tokens: 60,
      stop: [stop, `${free.text.slice(2, 4)}\u0000never`],
      skip_special_tokens: false,
    };
    const whole = await engine().generate(call(sampling));
    const streamed = await engine().stream(call(sampling));
    expect(streamed.text).toBe(whole.text);
    expect(streamed.text).not.toContain(stop);
  });

  it('gives the log-probs of the prompt when asked, the first one null', async () => {
    const { meta } = await engine().generate(
      call({ max_new_tokens: 1 }, { logprob_start_len: 0, top_logprobs_num: 2 }),
    );
    const tuples = meta.input_token_logprobs as [number | null, number, unknown][];
    expect(tuples.map(([, id]) => id)).toEqual(PROMPT);
    expect(tuples[0]?.[0]).toBeNull();
    expect(tuples.slice(1).every(([logprob]) => Number.isFinite(logprob))).toBe(true);
    const top = (meta.output_top_logprobs as [number, number, unknown][][])[0]!;
    expect(top).toHaveLength(2);
    expect(top[0]![0]).toBeGreaterThanOrEqual(top[1]![0]);
  });

  it('agrees with itself: prompt log-probs of an answer equal those it was sampled with', async () => {
    const answer = await engine().generate(call({ temperature: 0, max_new_tokens: 8 }));
    const again = { input_ids: [...PROMPT, ...answer.ids], logprob_start_len: PROMPT.length };
    const { meta } = await engine().generate({ ...call({ temperature: 0, max_new_tokens: 1 }), ...again });
    const tuples = meta.input_token_logprobs as [number, number, unknown][];
    tuples.forEach(([logprob], i) => {
      expect(Math.abs(logprob - answer.logprobs[i]!)).toBeLessThan(deterministic ? 1e-6 : 0.1);
    });
  });

  describe.runIf(deterministic)('a deterministic engine', () => {
    it('repeats an answer by its seed, and differs by another seed', async () => {
      const ask = (seed: number) => engine().generate(call({ sampling_seed: seed, max_new_tokens: 24 }));
      const [first, second, other] = [await ask(7), await ask(7), await ask(8)];
      expect([second.ids, second.logprobs]).toEqual([first.ids, first.logprobs]);
      expect(other.ids).not.toEqual(first.ids);
    });

    it.each([1, 5, 17])('continues an answer cut after %i tokens exactly as if never cut', async (cut) => {
      const sampling = { sampling_seed: 21, max_new_tokens: 24 };
      const whole = await engine().generate(call(sampling));
      const resumed = await engine().generate({
        ...call({ ...sampling, max_new_tokens: 24 - cut }),
        input_ids: [...PROMPT, ...whole.ids.slice(0, cut)],
      });
      expect(resumed.ids).toEqual(whole.ids.slice(cut));
      expect(resumed.logprobs).toEqual(whole.logprobs.slice(cut));
    });

    it('gives the same ids and log-probs whatever else runs', async () => {
      const body = () => call({ sampling_seed: 3, max_new_tokens: 30 });
      const alone = await engine().generate(body());
      const crowd = Array.from({ length: 24 }, (_, i) =>
        engine().generate({
          ...call({ sampling_seed: i, max_new_tokens: 5 + i * 2 }),
          input_ids: PROMPT.slice(0, 1 + (i % 6)),
        }),
      );
      const crowded = await Promise.all([engine().generate(body()), engine().generate(body()), ...crowd]);
      for (const answer of crowded.slice(0, 2)) {
        expect(answer.ids).toEqual(alone.ids);
        expect(answer.logprobs).toEqual(alone.logprobs);
      }
    });
  });
}

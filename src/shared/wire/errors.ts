import { z } from 'zod';

/**
 * Every error body of the gateway: AReaL's text in `detail`, OpenAI's shape in `error`, so that both kinds of client
 * read it unchanged.
 */
export const errorBodySchema = z.object({
  detail: z.union([z.string(), z.array(z.unknown())]),
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

import { z } from 'zod';

/** `GET /rl/events` (admin, SSE): hints to read again, never the truth itself. Event name = kind, data = this object. */
export const gatewayEventSchema = z.object({
  kind: z.enum([
    'session-start',
    'session-end',
    'interaction-end',
    'reward-set',
    'batch-form',
    'batch-ack',
    'training-progress',
    'version-serve',
    'engine-change',
    'trainer-change',
    'dump-append',
    'trouble-change',
  ]),
  session_id: z.string().optional(),
  interaction_id: z.string().optional(),
  batch_id: z.number().int().optional(),
  version: z.number().int().optional(),
});
export type GatewayEvent = z.infer<typeof gatewayEventSchema>;

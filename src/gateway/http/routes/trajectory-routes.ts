import { Hono } from 'hono';
import { z } from 'zod';
import type { ReadStatisticsPorts } from '../../actions/read-statistics';
import { readDumpStatistics, readLiveStatistics } from '../../actions/read-statistics';
import { refusal } from '../../platform/refusal';
import type { DumpLibrary } from '../../rollouts/dump-library';
import { requireAdmin } from '../auth';
import { errorResponse } from '../error-response';

export interface TrajectoryRoutesPorts extends ReadStatisticsPorts {
  readonly adminKey: string;
  readonly dumps: DumpLibrary;
}

/** Decimal digits alone: `Number` would also take an empty text, blanks, `0x1` and `1e2`. */
const digits = (least: number, most: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(least).max(most));

const pageSchema = z.object({
  offset: digits(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: digits(1, 500).default(50),
  summary: z.enum(['0', '1']).default('0'),
  bad: z.enum(['0', '1']).default('0'),
});

const PAGE_FIELDS: Readonly<Record<keyof z.infer<typeof pageSchema>, string>> = {
  offset: 'offset must be 0 or more, in decimal digits.',
  limit: 'limit must be from 1 to 500, in decimal digits.',
  summary: 'summary must be 0 or 1.',
  bad: 'bad must be 0 or 1.',
};

/** Dumps opened for reading, and statistics. A path never comes in here: only the desktop's dialog opens one. */
export function trajectoryRoutes(ports: TrajectoryRoutesPorts): Hono {
  const routes = new Hono();
  const { dumps, adminKey } = ports;

  routes.use('/rl/trajectory_files/*', (context, next) => admitAdmin(context.req.raw, adminKey, next));
  routes.use('/rl/trajectory_files', (context, next) => admitAdmin(context.req.raw, adminKey, next));
  routes.use('/rl/statistics', (context, next) => admitAdmin(context.req.raw, adminKey, next));

  routes.get('/rl/trajectory_files', async (context) => {
    await dumps.find('live')?.refresh();
    return context.json({ files: dumps.list().map((source) => source.view()) });
  });

  routes.get('/rl/trajectory_files/:id', async (context) => {
    const source = dumps.find(context.req.param('id'));
    return source === null ? notOpen(context.req.param('id')) : context.json(source.view());
  });

  routes.get('/rl/trajectory_files/:id/records', async (context) => {
    const source = dumps.find(context.req.param('id'));
    if (source === null) return notOpen(context.req.param('id'));
    const page = pageSchema.safeParse(context.req.query());
    if (!page.success) {
      const field = page.error.issues[0]?.path[0] as keyof typeof PAGE_FIELDS; // every issue is one of a field
      return errorResponse(refusal('bad-body', PAGE_FIELDS[field]));
    }
    const { offset, limit, summary, bad } = page.data;
    if (bad === '1') return context.json(await source.badRows(offset, limit));
    if (source.kind === 'live') await source.refresh();
    const rows = await source.rows(offset, limit, summary === '1');
    return context.json({ total: source.view().records, rows });
  });

  routes.get('/rl/trajectory_files/:id/statistics', async (context) => {
    const source = dumps.find(context.req.param('id'));
    return source === null ? notOpen(context.req.param('id')) : context.json(await readDumpStatistics(source));
  });

  routes.get('/rl/statistics', (context) => context.json(readLiveStatistics(ports)));

  return routes;
}

async function admitAdmin(
  request: Request,
  adminKey: string,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  const admin = requireAdmin(request, adminKey);
  if (!admin.ok) return errorResponse(admin.error);
  await next();
  return undefined;
}

function notOpen(id: string): Response {
  return errorResponse(refusal('not-found', `No dump ${id} is open. Open the file or folder again.`));
}

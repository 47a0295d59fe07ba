// The floors, checked. Each rule says what to do instead; scripts/boundaries.test.ts plants one violation of each.
const TEST = '(\\.(test|property\\.test|test-d)\\.tsx?$|/testing/|/__fixtures__/)';
const ELECTRON = '(^electron$|node_modules/electron/)';

/** Gateway folders, top floor last. A folder may import itself, lower floors and shared. */
const PORTS = '(backends|tokenizer|rollouts|trainer|store)';
const PURE = '(answers|protocols|interactions|groups|staleness)';

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Move what both need to a lower floor, or pass it in.', {}, { circular: true }),
    forbid(
      'shared-stands-alone',
      'shared is plain data and pure functions for every runtime: zod and nothing else. Put the code where it is used.',
      { path: '^src/shared/', pathNot: TEST },
      { pathNot: ['^src/shared/', '(^|node_modules/)zod($|/)'] },
    ),
    forbid(
      'shared-lib-is-lowest',
      'lib knows no domain; move the function to domain.',
      { path: '^src/shared/lib/', pathNot: TEST },
      { path: '^src/shared/(domain|wire|ipc)/' },
    ),
    forbid(
      'shared-domain-below-wire',
      'Domain types do not know how they are written; convert in wire.',
      { path: '^src/shared/domain/', pathNot: TEST },
      { path: '^src/shared/(wire|ipc)/' },
    ),
    forbid(
      'shared-wire-below-ipc',
      'The outside does not know our window; move the schema to wire.',
      { path: '^src/shared/wire/', pathNot: TEST },
      { path: '^src/shared/ipc/' },
    ),
    forbid(
      'electron-only-in-desktop',
      'Pass in what you need from Electron; only main/desktop, main/ipc, main.ts, compose.ts and preload touch it.',
      { path: '^src/', pathNot: '^src/(main/(desktop|ipc)/|main/(main|compose)\\.ts$|preload/)' },
      { path: ELECTRON },
    ),
    forbid(
      'gateway-knows-no-host',
      'The gateway runs anywhere; give it a port instead.',
      { path: '^src/gateway/', pathNot: TEST },
      { path: '^src/(main|preload|renderer|headless|studio|supervisor|embedded)/' },
    ),
    forbid(
      'gateway-rules-are-pure',
      'Rules get clock, ids and files as arguments; let an action join two rules.',
      { path: `^src/gateway/${PURE}/`, pathNot: TEST },
      { pathNot: ['^src/shared/', '^src/gateway/$1/'] },
    ),
    forbid(
      'node-only-in-platform',
      'Add what you need to a port in gateway/platform.',
      { path: '^src/gateway/', pathNot: ['^src/gateway/platform/', '^src/gateway/serve\\.ts$', TEST] },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'gateway-platform-is-lowest',
      'Platform wraps the machine and knows nothing of the gateway.',
      { path: '^src/gateway/platform/', pathNot: TEST },
      { path: '^src/gateway/', pathNot: '^src/gateway/platform/' },
    ),
    forbid(
      'gateway-ports-below-sessions',
      'A port does not know who uses it; let a session or an action call it.',
      { path: `^src/gateway/${PORTS}/`, pathNot: TEST },
      { path: '^src/gateway/(sessions|actions|http)/' },
    ),
    forbid(
      'gateway-sessions-below-actions',
      'Let the action call sessions, then the next step.',
      { path: '^src/gateway/sessions/', pathNot: TEST },
      { path: '^src/gateway/(actions|http)/' },
    ),
    forbid(
      'gateway-actions-below-http',
      'An action returns a Result; http turns it into a reply.',
      { path: '^src/gateway/actions/', pathNot: TEST },
      { path: '^src/gateway/http/' },
    ),
    forbid(
      'gateway-roots-are-top',
      'compose, config and serve join the parts; pass in what a part needs.',
      { path: '^src/gateway/[^/]+/', pathNot: TEST },
      { path: '^src/gateway/(compose|serve|config)\\.ts$' },
    ),
    forbid(
      'hosts-use-gateway-door',
      'Hosts see the gateway through compose.ts and config.ts; export from there what a host needs.',
      { path: '^src/(main|headless|studio)/', pathNot: TEST },
      { path: '^src/gateway/', pathNot: '^src/gateway/(compose|config)\\.ts$' },
    ),
    forbid(
      'supervisor-is-plain-node',
      'The supervisor knows processes, nothing of what they are for; let studio join the two.',
      { path: '^src/(supervisor|main/settings)/' },
      { path: '^src/(gateway|embedded|studio|headless|renderer|preload|main/(desktop|ipc|main|compose))' },
    ),
    forbid(
      'studio-below-hosts',
      'The studio is started by a host and does not know which.',
      { path: '^src/studio/' },
      { path: '^src/(main|headless|preload|renderer|embedded)/' },
    ),
    forbid(
      'hosts-are-islands',
      'Move what both hosts need to studio.',
      { path: '^src/(main|headless)/' },
      { path: '^src/(main|headless|preload|renderer|embedded)/', pathNot: '^src/$1/' },
    ),
    forbid(
      'programs-stand-alone',
      'Engine and trainer are started as processes and could be anybody else’s; they meet us in shared.',
      { path: '^src/embedded/' },
      { path: '^src/', pathNot: '^src/(embedded|shared)/' },
    ),
    forbid(
      'tensor-library-only-in-model',
      'Call embedded/model; the library is young and must be replaceable.',
      { path: '^src/', pathNot: '^src/embedded/model/' },
      { path: '(^|node_modules/)@jax-js/' },
    ),
    forbid(
      'sql-only-in-store',
      'Add a method to a repository in gateway/store.',
      { path: '^src/', pathNot: '^src/gateway/store/' },
      { path: '(^|node_modules/)libsql($|/)' },
    ),
    forbid(
      'renderer-is-web-only',
      'The page reaches Node by a gateway route, or by an IPC channel if no route can do it.',
      { path: '^src/renderer/', pathNot: TEST },
      { dependencyTypes: ['core'] },
    ),
    forbid(
      'renderer-sees-only-shared',
      'The page shares only shared with the rest.',
      { path: '^src/renderer/', pathNot: TEST },
      { path: '^src/', pathNot: '^src/(renderer|shared)/' },
    ),
    forbid(
      'renderer-floors',
      'data, components and i18n do not know features or app; pass it in as a prop.',
      { path: '^src/renderer/(data|components|i18n|theme)/', pathNot: TEST },
      { path: '^src/renderer/(features|app)/' },
    ),
    forbid(
      'components-are-dumb',
      'A component gets its data as props; let the feature fetch it.',
      { path: '^src/renderer/components/', pathNot: TEST },
      { path: '^src/renderer/data/' },
    ),
    forbid(
      'features-below-app',
      'A feature does not know the shell around it.',
      { path: '^src/renderer/features/', pathNot: TEST },
      { path: '^src/renderer/app/' },
    ),
    forbid(
      'features-are-islands',
      'Move what both features need to components or data.',
      { path: '^src/renderer/features/([^/]+)/', pathNot: TEST },
      { path: '^src/renderer/features/', pathNot: '^src/renderer/features/$1/' },
    ),
    forbid(
      'features-through-index',
      'Enter a feature by its index.ts.',
      { path: '^src/renderer/app/', pathNot: TEST },
      { path: '^src/renderer/features/[^/]+/', pathNot: '^src/renderer/features/[^/]+/index\\.tsx?$' },
    ),
    forbid(
      'preload-is-tiny',
      'The preload knows the names of channels and nothing else.',
      { path: '^src/preload/' },
      { path: '^src/', pathNot: '^src/(preload/|shared/ipc/channels\\.ts$)' },
    ),
    forbid(
      'no-dep-on-test',
      'Move what the product needs out of the test.',
      { path: '^src/', pathNot: TEST },
      { path: [TEST, '^e2e/', '^bench/'] },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node'] },
  },
};

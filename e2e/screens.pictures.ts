import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { type App, invoke, launchApp } from './app';
import { ask, rateNewest, untilWhole } from './rating';

// Where the pictures go: the README's by default, every variant when a folder is given.
const folder = process.env.PLAUDIT_PICTURES ?? 'docs/images';
const isEverything = process.env.PLAUDIT_PICTURES !== undefined;
const SCREENS = ['rate', 'trajectories', 'groups', 'runs', 'settings'] as const;
const NAMES = { rate: 'rate', trajectories: 'trajectories', groups: 'groups', runs: 'training', settings: 'settings' };
const SIZES = [
  ['small', 1000, 700],
  ['large', 1600, 1000],
] as const;

test('draws every screen of a real run', async () => {
  mkdirSync(folder, { recursive: true });
  const app = await launchApp();
  try {
    await app.untilServing(0);
    await invoke(app.page, 'settings-write', { language: 'en', theme: 'light' });
    if (isEverything) await drawEmpty(app);
    await rateABatch(app);
    await app.untilServing(1);
    await talkInSentences(app);
    if (!isEverything) return await drawAll(app, 'light', 'en');
    await drawEverySize(app);
  } finally {
    await app.dispose();
  }
});

async function rateABatch(app: App): Promise<void> {
  const prompts = [
    'What is 3 + 4?',
    'Hello!',
    'What color is grass?',
    'What is the opposite of hot?',
    'What does a cow say?',
  ];
  for (let k = 0; k < 20; k += 1) {
    await ask(app.page, prompts[k % prompts.length] ?? 'Hello!');
    await rateNewest(app.page, await newestStars(app));
  }
}

/**
 * The conversation of the pictures. The demo model now and then says half a sentence, which a reader takes for a fault
 * of the studio; then the conversation is begun anew.
 */
async function talkInSentences(app: App): Promise<void> {
  const prompts = ['Hello!', 'What color is grass?', 'What is 3 + 4?', 'What does a cow say?', 'What color is snow?'];
  for (let attempt = 0; attempt < 12; attempt += 1) {
    await app.page.getByTestId('new-conversation').click();
    let areWhole = true;
    for (const prompt of prompts) {
      await ask(app.page, prompt);
      areWhole &&= /^[A-Z0-9].{6,}[.!?]$/s.test((await app.page.getByTestId('answer-text').last().textContent()) ?? '');
      await rateNewest(app.page, await newestStars(app));
      if (!areWhole) break;
    }
    if (areWhole) return;
  }
  throw new Error('the demo model did not speak in sentences');
}

const newestStars = async ({ page }: App) =>
  starsFor((await page.getByTestId('answer-text').last().textContent()) ?? '');

/** A rater who likes good manners: the demo model has seven, and the pictures should show somebody meaning it. */
function starsFor(answer: string): 1 | 2 | 3 | 4 | 5 {
  if (/obviously|of course|everyone|bother|leave me|duh|go away|ugh|pink/i.test(answer)) return 1;
  if (/hard to say|who knows|maybe|not sure|something else|let me see|hmm|you know/i.test(answer)) return 2;
  if (/happy|glad|thank|sure|please|welcome/i.test(answer)) return 5;
  return answer.length < 8 ? 3 : 4;
}

async function drawEverySize(app: App): Promise<void> {
  for (const [name, width, height] of SIZES) {
    await resize(app, width, height);
    for (const theme of ['light', 'dark'] as const) {
      for (const language of ['en', 'zh'] as const)
        await drawAll(app, theme, language, `-${theme}-${language}-${name}`);
    }
  }
  await drawRound(app);
  await drawOddities(app);
}

/** What a person meets first: no conversation, no dump, no trouble. */
async function drawEmpty(app: App): Promise<void> {
  for (const screen of ['rate', 'trajectories', 'groups'] as const) {
    await show(app, screen);
    await app.page.screenshot({ path: join(folder, `${NAMES[screen]}-empty.png`) });
  }
  await app.page.getByTestId('rail-rate').click();
}

async function drawRound(app: App): Promise<void> {
  const { page } = app;
  await invoke(page, 'settings-write', { theme: 'light', language: 'en' });
  await page.getByTestId('rail-rate').click();
  await page.getByTestId('mode-side-by-side').click();
  await page.getByTestId('composer').fill('What is 2 + 6?');
  await page.getByTestId('composer').press('Enter');
  await page.getByTestId('block-side-by-side').waitFor();
  await untilWhole(page);
  await page.getByTestId('receipts').click();
  // One of two is judged: its rating waits in an open session.
  await page.getByTestId('answer').nth(-2).click();
  await page.keyboard.press('4');
  for (const [name, width, height] of SIZES) {
    await resize(app, width, height);
    await page.waitForTimeout(600);
    await page.screenshot({ path: join(folder, `side-by-side-receipts-${name}.png`) });
  }
}

/** What a healthy run with the demo model never shows: trouble, thoughts, calls. Laid over what the gateway answers. */
async function drawOddities(app: App): Promise<void> {
  const { page } = app;
  await page.addInitScript(
    ({ trouble, answer }) => {
      const ask = window.fetch;
      window.fetch = async (input, init) => {
        const reply = await ask(input, init);
        const path = new URL(String(input)).pathname;
        if (!reply.ok || !/^\/rl\/(status|sessions\/[^/]+)$/.test(path)) return reply;
        const body = await reply.json();
        if (path === '/rl/status') return Response.json({ ...body, trouble });
        const interactions = body.interactions.map((one: object) => ({ ...one, ...answer }));
        return Response.json({ ...body, end_reason: 'abort', interactions });
      };
    },
    { trouble: troubles, answer: thoughtful },
  );
  await page.reload();
  await page.getByTestId('trouble').first().waitFor();
  await page.getByTestId('answer-reasoning').last().locator('summary').click();
  for (const theme of ['light', 'dark'] as const) {
    await invoke(page, 'settings-write', { theme });
    for (const [name, width, height] of SIZES) {
      await resize(app, width, height);
      await page.waitForTimeout(600);
      await page.getByTestId('transcript').evaluate((element) => element.parentElement?.scrollTo(0, 1e6));
      await page.screenshot({ path: join(folder, `oddities-${theme}-${name}.png`) });
    }
  }
  await invoke(page, 'settings-write', { language: 'zh' });
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(folder, 'oddities-dark-zh-large.png') });
}

const troubles = [
  {
    kind: 'database-recovered',
    message: 'The database was damaged. Saved were 12 sessions, 40 answers and 31 ratings. Every row could be read.',
    advice: 'The damaged file is kept beside it. Check the disk.',
  },
  { kind: 'trainer-disk', message: 'No space is left on the disk.', advice: 'The trainer tries again by itself.' },
  {
    kind: 'batch-set-aside-3',
    message: '16 ratings are set aside: batch 3 made the trainer fail 3 times.',
    advice: 'Try it again, or leave it, on the Training screen.',
  },
];
const thoughtful = {
  untrainable: 'the log-probability of token 4 is not a number',
  rating_state: 'unrated',
  reward: null,
  output_message: {
    role: 'assistant',
    content: 'The weather in Lima is mild.',
    reasoning_content:
      'They ask for the weather in a place I cannot see. I should look it up with the tool, in Celsius.',
    tool_calls: [
      {
        id: 'call-1',
        type: 'function',
        function: { name: 'look_up_weather', arguments: '{"place":"Lima","unit":"celsius","days":[1,2,3]}' },
      },
    ],
  },
};

async function resize({ electron }: App, width: number, height: number): Promise<void> {
  await electron.evaluate(({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setSize(size[0], size[1]), [
    width,
    height,
  ] as const);
}

async function drawAll(app: App, theme: 'light' | 'dark', language: 'en' | 'zh', variant = ''): Promise<void> {
  await invoke(app.page, 'settings-write', { theme, language });
  for (const screen of SCREENS) {
    await show(app, screen);
    if (screen === 'trajectories') {
      await app.page.getByTestId('trajectory-row').nth(2).click();
      await app.page.getByTestId('detail-completion').waitFor();
      await app.page.waitForTimeout(300);
    }
    await hideOwnFolder(app);
    await app.page.screenshot({ path: join(folder, `${NAMES[screen]}${variant}.png`) });
  }
}

/** The data folder of this run is a temporary one that says something about this machine and nothing to a reader. */
async function hideOwnFolder({ page, dataDir }: App): Promise<void> {
  await page.evaluate((own) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode() !== null) {
      const text = texts.currentNode as Text; // only texts are walked
      if (text.data.includes(own)) text.data = text.data.replace(own, '/home/you/.config/Plaudit');
    }
  }, dataDir);
}

async function show({ page }: App, screen: (typeof SCREENS)[number]): Promise<void> {
  await page.getByTestId(`rail-${screen}`).click();
  await page.getByTestId(`screen-${screen}`).waitFor();
  // The pointer left on the rail would show its tooltip.
  await page.mouse.move(420, 8);
  // Charts draw themselves in; a picture of the middle of it says nothing.
  await page.waitForTimeout(1200);
}

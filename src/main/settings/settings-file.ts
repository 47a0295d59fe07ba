import { type Settings, type StudioTrouble, settingsSchema } from '../../shared/ipc/contract';
import { keepAsBad, readJson, writeJson } from './atomic-json';

type Fields = Readonly<Record<string, unknown>>;
/** Brings the fields of format n to format n + 1; format 1 is the first. */
export type SettingsMigration = (fields: Fields) => Fields;

const MIGRATIONS: readonly SettingsMigration[] = [];

/**
 * The settings a person chose, on disk.
 *
 * A field that is not valid falls back to its default and is reported; the others stay. The file as it was is kept
 * beside it as `.bad`. Fields of a newer Plaudit are kept when the file is written.
 */
export class SettingsFile {
  #settings: Settings;
  #unknown: Fields;
  readonly #trouble: StudioTrouble[] = [];

  constructor(
    private readonly path: string,
    private readonly migrations: readonly SettingsMigration[] = MIGRATIONS,
  ) {
    const fields = this.#readFields();
    const { settings, unknown, bad } = sortFields(fields);
    this.#settings = settings;
    this.#unknown = unknown;
    if (bad.length > 0) this.#reportBad(`These settings are not valid and were reset: ${bad.join(', ')}.`);
  }

  current(): Settings {
    return this.#settings;
  }

  /** What was wrong with the file when it was read. */
  trouble(): readonly StudioTrouble[] {
    return this.#trouble;
  }

  /** @throws Error when the disk refuses; the settings in memory then stay as they were */
  write(changes: Partial<Settings>): Settings {
    const next = settingsSchema.parse({ ...this.#settings, ...changes });
    writeJson(this.path, { format: this.migrations.length + 1, ...this.#unknown, ...next });
    this.#settings = next;
    return next;
  }

  #readFields(): Fields {
    const read = readJson(this.path);
    if (read.kind === 'absent') return {};
    if (read.kind === 'unreadable' || !isFields(read.value)) {
      this.#reportBad('The settings file cannot be read; the defaults are in effect.');
      return {};
    }
    const format = typeof read.value.format === 'number' ? read.value.format : 1;
    return this.migrations.slice(Math.max(0, format - 1)).reduce((fields, migrate) => migrate(fields), read.value);
  }

  #reportBad(message: string): void {
    keepAsBad(this.path);
    this.#trouble.push({
      kind: 'settings-file',
      message,
      advice: `The file as it was is kept as ${this.path}.bad.`,
    });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortFields(fields: Fields): { settings: Settings; unknown: Fields; bad: string[] } {
  const good: Record<string, unknown> = {};
  const unknown: Record<string, unknown> = {};
  const bad: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'format') continue;
    const schema = Object.hasOwn(settingsSchema.shape, name)
      ? settingsSchema.shape[name as keyof typeof settingsSchema.shape] // hasOwn has just said so
      : undefined;
    if (schema === undefined) unknown[name] = value;
    else if (schema.safeParse(value).success) good[name] = value;
    else bad.push(name);
  }
  return { settings: settingsSchema.parse(good), unknown, bad };
}

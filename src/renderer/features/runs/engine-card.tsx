import type { ProcessView } from '../../../shared/ipc/contract';
import type { Status } from '../../../shared/wire/rl';
import { formatCount } from '../../components/number-format';
import { useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { Card } from './card';
import { Fact, ProcessFacts, RestartButton } from './process-facts';
import classes from './runs.module.css';
import { StateWord, type Tone } from './state-word';

const tones: Readonly<Record<Status['engine']['state'], Tone>> = {
  waiting: 'busy',
  serving: 'good',
  updating: 'busy',
  failed: 'bad',
};

interface Props {
  readonly status: Status | undefined;
  readonly process: ProcessView | undefined;
}

/** What answers now, and whether a newer version waits to be served. */
export function EngineCard({ status, process }: Props) {
  const text = useText().runs;
  const reasonWords = useReasonWords();
  const engine = status?.engine;
  return (
    <Card
      title={text.engine.title}
      state={
        engine !== undefined && (
          <StateWord tone={tones[engine.state]} word={text.engine.states[engine.state]} testId="engine-state" />
        )
      }
      action={process !== undefined && <RestartButton process={process} />}
    >
      {status !== undefined && <ServedVersion status={status} />}
      {engine?.detail != null && (
        <p className={engine.state === 'failed' ? classes.failure : classes.detail}>{reasonWords(engine.detail)}</p>
      )}
      {status !== undefined && (
        <>
          <Fact name={text.facts.model}>
            {(status.model.is_demo ? text.demoModel : text.model)(
              status.model.name,
              formatCount(status.model.parameters),
            )}
          </Fact>
          <Fact name={text.facts.running}>{formatCount(status.engine.running)}</Fact>
        </>
      )}
      {process === undefined ? (
        <Fact name={text.facts.process}>{text.noProcess}</Fact>
      ) : (
        <ProcessFacts process={process} />
      )}
    </Card>
  );
}

function ServedVersion({ status }: { readonly status: Status }) {
  const text = useText().runs;
  const { served_version: served, trained_version: trained } = status;
  const name = (version: number): string => (version === 0 ? text.seed : `v${version}`);
  const behind = served === null ? 0 : trained - served;
  return (
    <>
      <Fact name={text.facts.served}>
        <strong data-testid="served-version">{served === null ? text.nothingServed : name(served)}</strong>
      </Fact>
      <Fact name={text.facts.trained}>
        <strong data-testid="trained-version">{name(trained)}</strong>
        {behind > 0 && <span className={classes.warned}> {text.behind(formatCount(behind))}</span>}
      </Fact>
    </>
  );
}

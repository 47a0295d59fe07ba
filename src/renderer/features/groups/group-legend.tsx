import type { ReactNode } from 'react';
import { useText } from '../../i18n/text';
import { EqualMark, MeanMark, MemberMark, SingletonMark } from './group-marks';
import type { GroupSignal } from './group-signal';
import classes from './groups.module.css';

interface Props {
  readonly signal: GroupSignal;
  readonly hasMixed: boolean;
  readonly hasSingletons: boolean;
  readonly hasEqual: boolean;
  readonly remarks: readonly (string | null)[];
}

/** What the marks of the per-group chart mean, only those that occur. */
export function GroupLegend({ signal, hasMixed, hasSingletons, hasEqual, remarks }: Props) {
  const words = useText().groups.perGroup;
  return (
    <>
      <span className={classes.legend}>
        {hasMixed && <Entry mark={<MemberMark cx={6} cy={6} />}>{words.legendMember}</Entry>}
        {hasMixed && <Entry mark={<MeanMark cx={6} cy={6} />}>{words.legendMean}</Entry>}
        {hasEqual && (
          <Entry mark={<EqualMark cx={6} cy={6} isLost={signal === 'none'} />}>{words.legendEqual[signal]}</Entry>
        )}
        {hasSingletons && <Entry mark={<SingletonMark cx={6} cy={6} />}>{words.legendSingleton[signal]}</Entry>}
      </span>
      {remarks.map((remark) => remark !== null && <span key={remark}> {remark}</span>)}
    </>
  );
}

function Entry({ mark, children }: { readonly mark: ReactNode; readonly children: ReactNode }) {
  return (
    <span className={classes.legendEntry}>
      <svg width="12" height="12" aria-hidden="true">
        {mark}
      </svg>
      {children}
    </span>
  );
}

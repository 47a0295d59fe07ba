import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useClients } from '../../data/clients';
import { settingsQuery } from '../../data/shared-queries';
import { useText } from '../../i18n/text';
import { Appearance } from './appearance';
import { BaselineField, EndSessionField, TextField } from './draft-fields';
import { GatewayFacts } from './gateway-facts';
import { AboutCard, FoldersCard, ModelCard } from './machine-cards';
import { SaveBar } from './save-bar';
import classes from './settings.module.css';

/** Everything a person can choose, and what this installation is made of. */
export function SettingsPage() {
  const text = useText().settings;
  const { data: settings, error } = useQuery(settingsQuery(useClients()));
  const { sections } = text;
  if (settings === undefined) {
    return (
      <p className={classes.waiting} role={error === null ? undefined : 'alert'}>
        {error === null ? text.waiting : text.failed(error.message)}
      </p>
    );
  }
  return (
    <div className={classes.page} data-testid="settings-page">
      <div className={classes.columns}>
        <div className={classes.column}>
          <Section title={sections.appearance}>
            <Appearance settings={settings} />
          </Section>
          <Section title={sections.rating}>
            <TextField settings={settings} name="raterId" />
            <EndSessionField settings={settings} />
          </Section>
          <Section title={sections.sampling}>
            <TextField settings={settings} name="temperature" />
            <TextField settings={settings} name="maxNewTokens" />
          </Section>
          <Section title={sections.run}>
            <TextField settings={settings} name="experiment" />
            <TextField settings={settings} name="trial" />
            <TextField settings={settings} name="gatewayPort" />
            <GatewayFacts />
          </Section>
        </div>
        <div className={classes.column}>
          <Section title={sections.training}>
            <TextField settings={settings} name="batchSize" />
            <BaselineField settings={settings} />
            <TextField settings={settings} name="learningRate" />
            <TextField settings={settings} name="klBeta" />
          </Section>
          <Section title={sections.model}>
            <ModelCard />
          </Section>
          <Section title={sections.folders}>
            <FoldersCard />
          </Section>
          <Section title={sections.about}>
            <AboutCard />
          </Section>
        </div>
      </div>
      <SaveBar settings={settings} />
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.section} aria-labelledby={id}>
      <h2 id={id} className={classes.sectionTitle}>
        {title}
      </h2>
      {children}
    </section>
  );
}

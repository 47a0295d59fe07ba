import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useText } from '../i18n/text';

export function CrashPage({ error, onAgain }: { readonly error: Error; readonly onAgain: () => void }) {
  const text = useText().shell.crash;
  return (
    <Stack p="xl" gap="md" maw={720} role="alert" data-testid="crash">
      <Title order={1}>{text.title}</Title>
      <Text size="sm">{text.body}</Text>
      <Group gap="sm">
        <Button variant="filled" onClick={onAgain}>
          {text.again}
        </Button>
        <Button onClick={() => window.location.reload()}>{text.reload}</Button>
      </Group>
      <details>
        <summary>{text.details}</summary>
        <Code block>{error.stack ?? error.message}</Code>
      </details>
    </Stack>
  );
}

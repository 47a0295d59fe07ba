import {
  ActionIcon,
  Button,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  Modal,
  NumberInput,
  Select,
  Textarea,
  TextInput,
} from '@mantine/core';

/** Dense Mantine: 14 px base, 12 px in tables, 4 px grid, small controls everywhere unless a place says otherwise. */
export const theme = createTheme({
  fontFamily: 'var(--pl-font)',
  fontFamilyMonospace: 'var(--pl-mono)',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  spacing: { xs: '0.25rem', sm: '0.5rem', md: '0.75rem', lg: '1rem', xl: '1.5rem' },
  radius: { xs: '2px', sm: '4px', md: '4px', lg: '6px', xl: '8px' },
  defaultRadius: 'sm',
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 4 },
  colors: {
    // Mantine's dark surfaces, lightest ink to deepest well, taken from the tokens so that fields match the frame.
    dark: [
      '#e6e9ec',
      '#b4bcc4',
      '#929ba5',
      '#6b747d',
      '#3a4149',
      '#272c32',
      '#1b1f23',
      '#14171a',
      '#101315',
      '#0b0d0f',
    ],
  },
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    if (input.variant !== 'filled' || (input.color !== undefined && input.color !== 'indigo')) return colors;
    // The one accent: its ink differs by theme, which Mantine's white does not.
    return {
      ...colors,
      background: 'var(--pl-accent)',
      hover: 'color-mix(in srgb, var(--pl-accent) 88%, var(--pl-ink))',
      color: 'var(--pl-accent-ink)',
    };
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.125rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
  components: {
    Button: Button.extend({
      defaultProps: { size: 'xs', variant: 'default' },
      styles: { root: { fontWeight: 500 } },
    }),
    ActionIcon: ActionIcon.extend({ defaultProps: { size: 'sm', variant: 'subtle', color: 'gray' } }),
    TextInput: TextInput.extend({ defaultProps: { size: 'xs' } }),
    NumberInput: NumberInput.extend({ defaultProps: { size: 'xs' } }),
    Select: Select.extend({ defaultProps: { size: 'xs' } }),
    Textarea: Textarea.extend({ defaultProps: { size: 'xs' } }),
    Modal: Modal.extend({
      defaultProps: { transitionProps: { duration: 0 }, overlayProps: { backgroundOpacity: 0.3 } },
    }),
  },
});

/** Mantine's own surfaces and inks follow the tokens, so that both never disagree. */
export const cssVariablesResolver: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--pl-surface)',
    '--mantine-color-text': 'var(--pl-ink)',
    '--mantine-color-dimmed': 'var(--pl-ink-3)',
    '--mantine-color-default': 'var(--pl-surface)',
    '--mantine-color-default-hover': 'var(--pl-hover)',
    '--mantine-color-default-color': 'var(--pl-ink)',
    '--mantine-color-default-border': 'var(--pl-line-strong)',
    '--mantine-color-disabled': 'var(--pl-hover)',
    '--mantine-color-disabled-color': 'var(--pl-ink-3)',
    '--mantine-color-disabled-border': 'var(--pl-line)',
    '--mantine-color-placeholder': 'var(--pl-ink-3)',
    '--mantine-primary-color-filled': 'var(--pl-accent)',
    '--mantine-primary-color-contrast': 'var(--pl-accent-ink)',
  };
  return { variables: {}, light: shared, dark: shared };
};

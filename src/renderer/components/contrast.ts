/** Relative luminance of a `#rrggbb` colour, 0 to 1. Source: WCAG 2.2, "relative luminance". */
export function luminance(color: string): number {
  const linear = (index: number): number => {
    const share = Number.parseInt(color.slice(index, index + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5);
}

/** Contrast ratio of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio". */
export function contrastRatio(first: string, second: string): number {
  const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b) as [number, number]; // two in, two out
  return (light + 0.05) / (dark + 0.05);
}

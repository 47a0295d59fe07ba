const drawn = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
] as const;

/**
 * A chart on the page as a file of its own: colours and fonts, which the page gives by style sheet, are written into it.
 *
 * @returns SVG text, and its size in CSS pixels
 */
export function svgFile(
  svg: SVGSVGElement,
  title: string,
  background: string,
): { readonly text: string; readonly width: number; readonly height: number } {
  const { width, height } = svg.getBoundingClientRect();
  // The clone of an SVG element is one; cloneNode only knows nodes.
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  for (const [index, original] of originals.entries()) {
    const style = getComputedStyle(original);
    for (const property of drawn) copies[index]?.style.setProperty(property, style.getPropertyValue(property));
  }
  const titleHeight = 28;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('x', '0');
  copy.setAttribute('y', String(titleHeight));
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const ink = getComputedStyle(svg).color;
  const family = getComputedStyle(svg).fontFamily.replaceAll('"', "'");
  const total = height + titleHeight;
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}">`,
    `<rect width="100%" height="100%" fill="${background}"/>`,
    `<text x="8" y="19" fill="${ink}" font-family="${family}" font-size="13">${escapeXml(title)}</text>`,
    new XMLSerializer().serializeToString(copy),
    '</svg>',
  ].join('');
  return { text, width, height: total };
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The same picture as pixels, at twice the size of the screen's. */
export async function pngFile(file: ReturnType<typeof svgFile>): Promise<Blob> {
  const image = new Image();
  // A data URL: the content security policy allows no blob: images.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(file.text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  const scale = 2;
  canvas.width = file.width * scale;
  canvas.height = file.height * scale;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)),
      'image/png',
    ),
  );
}

/** Hands a file to the browser's own way of saving. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

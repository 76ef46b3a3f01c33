declare module 'fontkit' {
  /** What is used of a font; pdfkit takes the whole of it (fontkit has no types of its own). */
  export interface Font {
    hasGlyphForCodePoint(codePoint: number): boolean
  }
  export function create(bytes: Uint8Array): Font
}

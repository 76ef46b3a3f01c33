declare module 'fontkit' {
  /**
   * The part of a font that is used here; pdfkit uses all of it. fontkit has no types of its own.
   */
  export interface Font {
    hasGlyphForCodePoint(codePoint: number): boolean
  }
  export function create(bytes: Uint8Array): Font
}

/**
 * Assets that a package gave, by their names in dist/: fonts and codecs. What is code says by its
 * source map where it is from.
 */
export const ASSETS: readonly (readonly [RegExp, string])[] = [
  [/^electron\/fonts\/(noto-sans-jp-\d|LICENSE-noto-sans-jp)/, '@fontsource/noto-sans-jp'],
  [/^electron\/fonts\/(noto-sans-|LICENSE-noto-sans$)/, '@fontsource/noto-sans'],
  [/^renderer\/assets\/inter-.*\.woff2$/, '@fontsource-variable/inter'],
  [
    /^(renderer\/assets\/charlswasm_decode-.*\.wasm|electron\/codecs\/charlswasm.*)$/,
    '@cornerstonejs/codec-charls',
  ],
  [/^electron\/codecs\/jpeg\.mjs$/, '@cornerstonejs/dicom-image-loader'],
  [
    /^(renderer\/assets\/jpegxlwasm_decode-.*\.wasm|electron\/codecs\/jpegxlwasm.*)$/,
    '@cornerstonejs/codec-libjxl',
  ],
  [
    /^(renderer\/assets\/libjpegturbowasm_decode-.*\.wasm|electron\/codecs\/libjpegturbowasm.*)$/,
    '@cornerstonejs/codec-libjpeg-turbo-8bit',
  ],
  [
    /^(renderer\/assets\/openjpegwasm_decode-.*\.wasm|electron\/codecs\/openjpegwasm.*)$/,
    '@cornerstonejs/codec-openjpeg',
  ],
  [
    /^(renderer\/assets\/openjphjs-.*\.wasm|electron\/codecs\/openjphjs.*)$/,
    '@cornerstonejs/codec-openjph',
  ],
]

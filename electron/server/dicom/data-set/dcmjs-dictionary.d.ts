declare module 'dcmjs/dictionary' {
  /**
   * PS3.6 and private dictionaries: `(0010,0010)` → entry. Keys of repeating groups and private
   * tags have other forms.
   */
  export const dictionary: Readonly<
    Record<
      string,
      {
        readonly tag: string
        readonly vr?: string
        readonly name: string
        readonly vm?: string
        readonly version?: string
      }
    >
  >
}

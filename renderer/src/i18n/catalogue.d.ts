/** A part of a catalogue: made by the build of the window (`vite.config.ts`). */
declare module '*.json?part=first' {
  const texts: import('#shared/messages/message.ts').Catalogue
  export default texts
}
declare module '*.json?part=server' {
  const texts: import('#shared/messages/message.ts').Catalogue
  export default texts
}
declare module '*.json?part=others' {
  const texts: import('#shared/messages/message.ts').Catalogue
  export default texts
}

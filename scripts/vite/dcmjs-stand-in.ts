// What Cornerstone 5.14 takes from `dcmjs` while its modules are evaluated, without what reads files.

type Print = (...parts: readonly unknown[]) => void
interface Logger {
  readonly trace: Print
  readonly debug: Print
  readonly info: Print
  readonly warn: Print
  readonly error: Print
  readonly setLevel: () => void
  getLogger(name: string): Logger
}

const silent: Print = () => undefined

const loggerOf = (name: string): Logger => ({
  ...{ trace: silent, debug: silent, info: silent, setLevel: silent },
  warn: (...parts) => console.warn(name, ...parts),
  error: (...parts) => console.error(name, ...parts),
  getLogger: loggerOf,
})

export const log = loggerOf('')
export const constants = {
  IMPLICIT_LITTLE_ENDIAN: '1.2.840.10008.1.2',
  EXPLICIT_LITTLE_ENDIAN: '1.2.840.10008.1.2.1',
  DEFLATED_EXPLICIT_LITTLE_ENDIAN: '1.2.840.10008.1.2.1.99',
  EXPLICIT_BIG_ENDIAN: '1.2.840.10008.1.2.2',
}
/** Modules that read files name it. They are left out as well. */
export default {}

import { readFileSync } from 'node:fs'
import { UsageError } from './words.ts'

/** The text in the file of an option such as `--partner-secret-file`, trimmed. @throws UsageError */
export function textFromFile(option: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${option}: ${file} could not be read (${code}).`)
  }
  if (text === '') throw new UsageError(`${option}: ${file} is empty.`)
  return text
}

/** Of an option that is still taken, and no longer documented. */
export const secretInArguments = (option: string): string =>
  `${option}: other accounts of this PC can read the arguments of a process; use ${option}-file, and renew this secret`

import { commandOf } from './commands.ts'
import { failureOf } from './failure.ts'

/** Carries out one command; its exit code becomes the process's. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const { command, rest } = commandOf(args)
    process.exitCode = await command.run(rest)
  } catch (error) {
    const { sentence, exitCode } = failureOf(error)
    process.stderr.write(`${sentence}\n`)
    process.exitCode = exitCode
  }
}

import { commandOf } from './commands.ts'
import { failureOf } from './failure.ts'
import { usageLines } from './help.ts'

/** Carries out one command; its exit code becomes the process's. */
export async function main(args: readonly string[]): Promise<void> {
  let usage: string | undefined
  try {
    const { name, command, rest } = commandOf(args)
    usage = usageLines(name, command)
    process.exitCode = await command.run(rest)
  } catch (error) {
    const { sentence, exitCode } = failureOf(error, usage)
    process.stderr.write(`${sentence}\n`)
    process.exitCode = exitCode
  }
}

import { commandOf } from './command-line/commands.ts'
import { failureOf } from './command-line/failure.ts'

/** The gateway without a window, and the command line: the same entry file under plain Node and in Electron's utility process. */
try {
  const { command, rest } = commandOf(process.argv.slice(2))
  process.exitCode = await command.run(rest)
} catch (error) {
  const { sentence, exitCode } = failureOf(error)
  process.stderr.write(`${sentence}\n`)
  process.exitCode = exitCode
}

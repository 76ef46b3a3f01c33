import { COMMANDS, commandOf } from './command-line/commands.ts'
import { failureOf } from './command-line/failure.ts'

/** The gateway without a window, and the command line: the same entry file under plain Node and in Electron's utility process. */
const { name, rest } = commandOf(process.argv.slice(2))
try {
  process.exitCode = await COMMANDS[name].run(rest)
} catch (error) {
  const { sentence, exitCode } = failureOf(error)
  process.stderr.write(`${sentence}\n`)
  process.exitCode = exitCode
}

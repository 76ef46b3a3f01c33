import fs from 'node:fs'

/**
 * Ends this process with SIGKILL at the step that the environment variable names, counted from when
 * `begin` was called. A step is before or after a transaction, or before or after a file is deleted.
 * Must be imported before the modules that delete files.
 */
const last = Number(process.env.ISTHMUS_TEST_KILL_AT ?? Number.POSITIVE_INFINITY)
let steps = 0
let isCounting = false

export function begin(): void {
  isCounting = true
}

export function step(): void {
  if (isCounting && ++steps >= last) process.kill(process.pid, 'SIGKILL')
}

const unlink = fs.unlink
// The promisified form calls this with a callback.
fs.unlink = ((path: fs.PathLike, done: fs.NoParamCallback) => {
  step()
  unlink(path, (error) => {
    step()
    done(error)
  })
}) as typeof fs.unlink

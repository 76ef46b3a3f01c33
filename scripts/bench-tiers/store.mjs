// node store.mjs FOLDER: s3rver, which reports over IPC when it starts to send an object. Unlike the
// store of the tests, it is not behind a proxy, which would take processor time from the fetch that
// is measured.
import { setTimeout as wait } from 'node:timers/promises'
import { newS3rver } from '../../test/support/object-store.ts'

let latencyMs = 0
process.on('message', (message) => {
  latencyMs = message.latencyMs
})
process.on('disconnect', () => process.exit())
const store = newS3rver(process.argv[2])
store.middleware.unshift(async ({ method, path }, next) => {
  const isObject = method === 'GET' && path.endsWith('.dcm')
  if (isObject) await wait(latencyMs)
  await next()
  if (isObject) process.send({ sentAt: Date.now() })
})
const { port } = await store.run()
process.send({ port })

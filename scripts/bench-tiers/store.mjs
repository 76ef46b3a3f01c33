// node store.mjs FOLDER: s3rver, which reports over IPC when it starts to send an object. Unlike the
// store of the tests, it is not behind a proxy, which would take processor time from the fetch that
// is measured.
import { setTimeout as wait } from 'node:timers/promises'
import S3rver from 's3rver'

let latencyMs = 0
process.on('message', (message) => {
  latencyMs = message.latencyMs
})
process.on('disconnect', () => process.exit())
const store = new S3rver({
  ...{ address: '127.0.0.1', port: 0, silent: true, directory: process.argv[2] },
  configureBuckets: [{ name: 'images' }],
})
store.middleware.unshift(async ({ method, path }, next) => {
  const isObject = method === 'GET' && path.endsWith('.dcm')
  if (isObject) await wait(latencyMs)
  await next()
  if (isObject) process.send({ sentAt: Date.now() })
})
const { port } = await store.run()
process.send({ port })

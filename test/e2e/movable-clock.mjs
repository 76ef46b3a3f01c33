// Loaded before the gateway under test: its clock goes ahead by the milliseconds that it is sent.
let ahead = 0
const now = Date.now
Date.now = () => now() + ahead
const elapsed = performance.now.bind(performance)
performance.now = () => elapsed() + ahead
globalThis.Date = new Proxy(Date, {
  construct: (target, given, created) =>
    Reflect.construct(target, given.length === 0 ? [Date.now()] : given, created),
  apply: () => new Date().toString(),
})

process.on('message', (milliseconds) => {
  ahead += milliseconds
  process.send?.(ahead)
})
// The gateway ends when it is done, as it does without this channel.
process.channel?.unref()

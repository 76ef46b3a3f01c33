// Loaded by `--import` into a process of the program: gives it the port that Electron gives a
// utility process, over Node's own channel.
const port = {
  on: (_: 'message', listener: (event: { readonly data: unknown }) => void) =>
    void process.on('message', (data) => listener({ data })),
  postMessage: (message: unknown) => void process.send?.(message),
}
// As in Electron, the channel alone keeps nothing running.
process.channel?.unref()
Object.defineProperty(process, 'parentPort', { value: port })

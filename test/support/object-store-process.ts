import { openBareStore } from './object-store.ts'

// node object-store-process.ts FOLDER: an object store; prints its port.
const { port } = await openBareStore(process.argv[2] ?? '.')
console.log(port)

// npm run fuzz [-- --target NAME[,NAME] --seconds N --executions N --seed S --input FILE --list]:
// feeds what reads foreign bytes with inputs made of test/fuzz/corpus. What it finds is written to
// test/fuzz/failures, with the command that repeats it.
import { join } from 'node:path'
import { becomeNode, installPackages, root } from './setup.mjs'

installPackages({ withTools: true })
becomeNode([join(root, 'test', 'fuzz', 'main.ts'), ...process.argv.slice(2)])

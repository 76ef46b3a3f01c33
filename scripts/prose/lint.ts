import { createRequire } from 'node:module'
import { TextlintKernel } from '@textlint/kernel'
import type { TextlintPluginCreator, TextlintRuleModule } from '@textlint/types'
import { doubleWordFindings, lineFindings, sentenceFindings, termFindings } from './checks.ts'

// Node and Vitest disagree on the default export of a CommonJS module.
const { default: markdownPlugin } = createRequire(import.meta.url)(
  '@textlint/textlint-plugin-markdown',
) as { readonly default: TextlintPluginCreator }

/** A finding in a file. Line and column count from 1. */
export interface Fault {
  readonly line: number
  readonly column: number
  readonly message: string
}

interface Node {
  readonly type: string
  readonly range: readonly [number, number]
  readonly loc: {
    readonly start: { readonly line: number }
    readonly end: { readonly line: number }
  }
  readonly children?: readonly Node[]
}

/** Names the words that are not used, so they are not looked for in it. */
const GLOSSARY = 'docs/GLOSSARY.md'
/** Parts of a text that are not prose. */
const NOT_PROSE = new Set(['Code', 'Html', 'Image', 'FootnoteReference'])
const NOT_LINES = new Set(['Table', 'CodeBlock', 'HtmlBlock', 'Html', 'Image'])

/**
 * The source of a node in which code is replaced by zeros and the targets of links by spaces, so
 * that positions stay.
 */
function proseOf(node: Node, source: string): string {
  const [start] = node.range
  let text = source
  const mask = (from: number, to: number, by: string) => {
    const hidden = text.slice(from, to).replace(/\S/g, by)
    text = text.slice(0, from) + hidden + text.slice(to)
  }
  const visit = (part: Node): void => {
    const [from, to] = [part.range[0] - start, part.range[1] - start]
    if (NOT_PROSE.has(part.type)) mask(from, to, '0')
    else {
      const last = part.children?.at(-1)
      if (part.type === 'Link') mask(last ? last.range[1] - start : from, to, ' ')
      for (const child of part.children ?? []) visit(child)
    }
  }
  visit(node)
  return text
}

const rule =
  (name: string): TextlintRuleModule =>
  ({ Syntax, RuleError, report, getSource, locator }) => {
    const hidden = new Set<number>()
    const check = (node: Node, hasSentences: boolean) => {
      const text = proseOf(node, getSource(node as never))
      for (const { index, message } of [
        ...(name === GLOSSARY ? [] : termFindings(text)),
        ...doubleWordFindings(text),
        ...(hasSentences ? sentenceFindings(text) : []),
      ])
        report(node as never, new RuleError(message, { padding: locator.at(index) }))
    }
    const hide = (node: Node) => {
      for (let line = node.loc.start.line; line <= node.loc.end.line; line++) hidden.add(line)
    }
    return {
      [Syntax.Paragraph]: (node: unknown) => check(node as Node, true),
      [Syntax.Header]: (node: unknown) => check(node as Node, false),
      [Syntax.TableCell]: (node: unknown) => check(node as Node, false),
      ...Object.fromEntries(
        [...NOT_LINES].map((type) => [type, (node: unknown) => hide(node as Node)]),
      ),
      [Syntax.DocumentExit]: (node: unknown) => {
        const text = getSource(node as never)
        for (const { index, message } of lineFindings(text, name, (line) => !hidden.has(line)))
          report(node as never, new RuleError(message, { padding: locator.at(index) }))
      },
    }
  }

/**
 * What is wrong with the prose of a document.
 * @param name its path in the repository, which decides how long it may be
 */
export async function proseFaults(name: string, text: string): Promise<Fault[]> {
  const { messages } = await new TextlintKernel().lintText(text, {
    filePath: name,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdownPlugin }],
    rules: [{ ruleId: 'prose', rule: rule(name) }],
  })
  return messages.map(({ loc: { start }, message }) => ({ ...start, message }))
}

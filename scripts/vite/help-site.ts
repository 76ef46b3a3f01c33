import type { Plugin, Rolldown } from 'vite'
import { HelpSite, SITE } from './help/site.ts'

/** The script of every page of the site, an entry of the client's build. */
export const SITE_SCRIPT = 'renderer/src/help/help.ts'

/**
 * Adds the documentation site to the built window, which the gateway serves at `/help`
 * (decision 0080).
 * @param root folder of the repository
 */
export const helpSite = (root: string): Plugin => ({
  name: 'help-site',
  enforce: 'post',
  applyToEnvironment: ({ name }) => name === 'client',
  generateBundle: {
    // After the names of the styles are known.
    order: 'post',
    handler(_options, bundle) {
      const script = Object.values(bundle).find(
        (part): part is Rolldown.OutputChunk =>
          part.type === 'chunk' && part.facadeModuleId?.endsWith(`/${SITE_SCRIPT}`) === true,
      )
      if (!script) throw new Error(`The build has no ${SITE_SCRIPT}.`)
      const site = new HelpSite(root)
      const index = this.emitFile({
        type: 'asset',
        name: 'help-index.json',
        source: site.searchIndex(),
      })
      const pages = site.pages({
        script: `/${script.fileName}`,
        styles: [...(script.viteMetadata?.importedCss ?? [])].map((name) => `/${name}`),
        index: `/${this.getFileName(index)}`,
      })
      for (const [file, source] of [...pages, ...site.pictures()])
        this.emitFile({ type: 'asset', fileName: `${SITE}/${file}`, source })
    },
  },
})

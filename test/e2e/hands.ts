import type { Locator, Page } from '@playwright/test'

/**
 * What a person does with a page, counted: each click, each choice from a list, each field that is
 * filled and each shortcut is one, a double click two. The numbers of `docs/TASKS.md` are these.
 */
export class Hands {
  readonly page: Page
  count = 0
  constructor(page: Page) {
    this.page = page
  }

  async click(what: Locator): Promise<void> {
    this.count += 1
    await what.click()
  }

  /** Presses a button of the page or of what is open over it. */
  press(name: string | RegExp, within: Page | Locator = this.page): Promise<void> {
    return this.click(within.getByRole('button', { name, exact: true }).first())
  }

  follow(name: string | RegExp, within: Page | Locator = this.page): Promise<void> {
    return this.click(within.getByRole('link', { name, exact: true }).first())
  }

  /** Goes to a screen by the navigation, whose entries also say what waits there. */
  async go(screen: string): Promise<void> {
    const main = this.page.getByRole('navigation', { name: 'Main' })
    await this.click(main.getByRole('link', { name: new RegExp(`^${screen}\\b`) }))
  }

  /** A tab within a screen. */
  async tab(tabs: string, name: string): Promise<void> {
    const within = this.page.getByRole('navigation', { name: tabs, exact: true })
    await this.click(within.getByRole('link', { name, exact: true }))
  }

  async fill(field: Locator, text: string): Promise<void> {
    this.count += 1
    await field.fill(text)
  }

  /** Chooses from a list that opens below a field. */
  async choose(field: Locator, option: string | RegExp): Promise<void> {
    this.count += 1
    const chosen = this.page.getByRole('option', { name: option }).first()
    // The list closes where what it lists is read again at that moment.
    for (let tries = 0; tries < 3 && !(await chosen.isVisible()); tries += 1) {
      await field.click()
      await chosen.waitFor({ timeout: 3000 }).catch(() => undefined)
    }
    await chosen.click()
  }

  async check(box: Locator): Promise<void> {
    this.count += 1
    await box.check({ force: true })
  }

  async key(keys: string): Promise<void> {
    this.count += 1
    await this.page.keyboard.press(keys)
  }

  /** Types into what has the focus: one field. */
  async type(text: string): Promise<void> {
    this.count += 1
    await this.page.keyboard.insertText(text)
  }

  /** A click at a place of an image. */
  async clickAt(what: Locator, x: number, y: number): Promise<void> {
    this.count += 1
    await what.click({ position: { x, y } })
  }
}

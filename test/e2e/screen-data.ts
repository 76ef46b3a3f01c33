import { words as keywords } from '../../renderer/src/display/explanation-words.ts'

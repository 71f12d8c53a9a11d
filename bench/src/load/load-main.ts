// A process of its own that puts loads on servers, one after the other, as its parent asks.
import { httpLoad, type LoadPlan } from './http-load.js';

process.on('message', (plan: LoadPlan) => {
  httpLoad(plan).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

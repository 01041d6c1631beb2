import { answerCalls } from '../base/thread.ts';
import { postPush } from './post-push.ts';

answerCalls(postPush);

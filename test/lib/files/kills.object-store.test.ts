import '../../support/own-object-store.ts';
import './kills.test.ts';

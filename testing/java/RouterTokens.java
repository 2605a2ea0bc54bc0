package ydl.testing;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.security.token.delegation.DelegationTokenIdentifier;
import org.apache.hadoop.security.token.delegation.AbstractDelegationTokenSecretManager;

/** The tokens of a router, in its memory: the routers of a cluster share theirs through ZooKeeper or a database, and here is only one. */
public final class RouterTokens extends AbstractDelegationTokenSecretManager<DelegationTokenIdentifier> {
    public RouterTokens(Configuration conf) throws IOException {
        super(TimeUnit.DAYS.toMillis(1), TimeUnit.DAYS.toMillis(7), TimeUnit.DAYS.toMillis(1), TimeUnit.HOURS.toMillis(1));
        startThreads();
    }

    @Override
    public DelegationTokenIdentifier createIdentifier() {
        return new DelegationTokenIdentifier();
    }
}

package ydl.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.StandardSocketFactory;

/**
 * Connections that leave from the address of the host a daemon plays (ydl.testing.host.address).
 *
 * <p>The NameNode takes a DataNode's address from its connection, and on the loopback network that would be 127.0.0.1 for all of them.
 */
public final class HostSocketFactory extends StandardSocketFactory implements Configurable {
    private Configuration conf;

    @Override
    public Socket createSocket() throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.bind(new InetSocketAddress(conf.get("ydl.testing.host.address"), 0));
        return channel.socket();
    }

    @Override
    public void setConf(Configuration newConf) {
        conf = newConf;
    }

    @Override
    public Configuration getConf() {
        return conf;
    }
}
